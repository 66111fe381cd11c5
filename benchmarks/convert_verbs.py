"""Write the forms of English verbs that the rules know, from LemmInflect (the SPECIALIST Lexicon) to one small file.

    uv run --with lemminflect==0.2.3 python -m benchmarks.convert_verbs

It writes models/rules/language/verbs.tsv.gz: a line for each form of a verb, with the base forms that it can be of and,
where it is one itself, with its past tenses, participles and third persons.
"""

import gzip
from collections.abc import Iterator
from importlib import import_module
from typing import Any

from errata.models.rules.language.verbs import FILE, TAGS, Verb, written


def verbs(lexicon: Any) -> Iterator[tuple[str, Verb]]:
    """Every form of a verb, in lower case, with what is known of it."""
    lemmas, inflections = lexicon.Lemmatizer(), lexicon.Inflections()
    lemmas.getAllLemmas(""), inflections.getAllInflections("")  # which loads them
    for word in sorted({*lemmas.lemma_dict, *inflections.infl_dict}):
        forms = (tuple(lexicon.getInflection(word, tag, inflect_oov=False)) for tag in TAGS)
        verb = Verb(tuple(lemmas.getAllLemmas(word, "VERB").get("VERB", ())), *forms)
        if word == word.lower() and any(verb):
            yield word, verb


def main() -> None:
    """Write the file."""
    lines = [written(word, verb) for word, verb in verbs(import_module("lemminflect"))]
    FILE.write_bytes(gzip.compress("\n".join(lines).encode(), mtime=0))
    print(f"{len(lines)} forms, {FILE.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main()
