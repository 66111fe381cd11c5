"""Sentences as clauses: a subject, a predicate and facts, with the subject of a pronoun filled in."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from ....state.text.segments import Span, language, sentences, tokens
from . import facts
from .facts import Fact
from .tables import table
from .verbs import AUXILIARIES, is_past, is_present
from .words import (
    ADVERBS,
    ARTICLES,
    CONJUNCTIONS,
    NEGATIONS,
    PREPOSITIONS,
    PRONOUNS,
    Word,
    first_verb,
    is_verb_at,
    opens_phrase,
    stem,
    words,
)

LONGEST_SENTENCE = 1_000
"""What is longer is no sentence, but a table or noise; only its beginning is read."""

MOST_FACTS = 16
"""Facts read of one clause. More is a table, in which nothing tells which fact belongs to which."""

RELATIVES = table("which who where whose while whereas although but when because")
RELATIVE_PRONOUNS = table("which who where whose")
TIMELY = table("today now then later")
"""Adverbs that a clause opens with: `and today it has ...`."""
POSSESSIVES = table("its his her their")
_NOT_THIS = re.compile(r"\b(?:not|never|neither) (?:(?:in|on|at|by|from|to|of|for|with|as|the|a|an) ){1,2}$", re.I)
_BUT_NOT = re.compile(r"(?:,\s+(?:and |but )?|\b(?:and|but) )(?:not|never) ([^,;.]*)")
_JOINED = re.compile(r"(?:,|\b(?:and|but|or))$")
_AND_BUT = re.compile(r"\bbut\b")
_HALF_DENIED = re.compile(r"\bnot (?:only|just|merely|simply)\b|而是|아니라")
_DENIED = re.compile(r"\bnot\b|n't\b")
_UNLIKE = re.compile(r"\b(?:but|until|till|before)\b")
POINTING_BACK = table("it its they their them")
PERSON_STEMS = ("ist", "er", "or", "ian")
PERSON_ENDINGS = (*PERSON_STEMS, "man")
QUESTION_WORDS = table("what which who whom whose when where why how many much long tall year")
PERSONAL = table("it he she they this that these those its his her their")


@dataclass(frozen=True)
class Clause:
    """One statement of a sentence.

    `subject` is what the statement is about: its own first words, or those of the sentence or text before it.
    """

    text: str
    sentence: Span
    span: Span
    subject: str
    own_subject: str
    cjk: bool = False
    topic: str = ""
    """What was spoken of before it."""
    heading: str = ""
    """The heading that it stands under."""

    @property
    def says(self) -> str:
        """Its text."""
        return self.text[self.span[0] : self.span[1]].strip(" ,;:")

    @property
    def sentence_text(self) -> str:
        """The text of the whole sentence."""
        return self.text[self.sentence[0] : self.sentence[1]]

    @cached_property
    def words(self) -> list[Word]:
        """Its words, with offsets in the whole text."""
        return words(self.text, *self.span)

    @cached_property
    def facts(self) -> list[Fact]:
        """Its facts, in the order of the text; at most MOST_FACTS."""
        all_facts = facts.find(self.text, *self.span)
        if self.cjk:
            all_facts += facts.cjk_places(self.text, *self.span)
            all_facts.sort(key=lambda fact: fact.start)
        return all_facts[:MOST_FACTS]

    @cached_property
    def verb(self) -> int:
        """Index of the first verb among the words, or their number if there is none."""
        return first_verb(self.words)

    @cached_property
    def stems(self) -> frozenset[str]:
        """What the clause speaks of, its subject included."""
        return content(self.says) | content(self.subject)

    @cached_property
    def negated(self) -> bool:
        """Whether a word such as `not` or `never` denies it."""
        return any(
            (word.lower in NEGATIONS or word.lower.endswith("n't")) and not self._denies_another(word)
            for word in self.words
        )

    @cached_property
    def denied(self) -> frozenset[str]:
        """The content words of what it says something is not: `in the yard, not in the cellar`."""
        return frozenset[str]().union(*(content(match[1]) for match in _BUT_NOT.finditer(self.text, *self.span)))

    @property
    def is_question(self) -> bool:
        """Whether it is part of a question, which states nothing."""
        return self.sentence_text.rstrip().endswith(("?", "？"))

    @cached_property
    def half_denied(self) -> bool:
        """Whether a `not` is only about a part of it: `not designed by Moll but by Renn`, `did not win until 2003`."""
        denial = _DENIED.search(self.says)
        is_half = denial is not None and _UNLIKE.search(self.says, denial.end()) is not None
        return is_half or _HALF_DENIED.search(self.says) is not None

    def denies(self, fact: Fact) -> bool:
        """Whether it says that something is not so for a value: `is in Velmar, not in Ostrey`."""
        return _NOT_THIS.search(self.text, max(self.span[0], fact.start - 30), fact.start) is not None

    def is_beside(self, fact: Fact) -> bool:
        """Whether a fact stands in an aside about another thing: `Arlen, the home of a club founded in 1931, has`."""
        start = self.text.find(self.own_subject, *self.span) + len(self.own_subject)
        end = self.text.find(",", start + 1, self.span[1])
        if not self.own_subject or not self.text.startswith(",", start) or not start < fact.start < end:
            return False
        row = words(self.text, start, end)
        return first_verb(row) < len(row) and not _opens_as_participle(row)

    @cached_property
    def leads(self) -> dict[str, str]:
        """The words that stand after a preposition of direction, with it: `from Oslo`, `by 15 euros`."""
        return self._words_after(DIRECTIONS)

    @cached_property
    def bounds(self) -> dict[str, str]:
        """The words for what a statement holds `in` or `outside` of, with that: `outside towns`."""
        return {word: _IN_WORDS.get(before, before) for word, before in self._words_after(IN_OR_OUT).items()}

    def _words_after(self, prepositions: frozenset[str]) -> dict[str, str]:
        row = self.words
        after = ((place + 1 + (row[place + 1].lower in ARTICLES), word) for place, word in enumerate(row[:-1]))
        return {
            row[place].stem or row[place].lower: word.lower
            for place, word in after
            if place < len(row) and word.lower in prepositions
        }

    def led_by(self, fact: Fact) -> str:
        """The preposition of direction before a fact; empty if none."""
        first = next((word for word in self.words if word.start >= fact.start), None)
        return self.leads.get(first.stem or first.lower, "") if first else ""

    @cached_property
    def alias(self) -> str:
        """Another name of its subject, between commas: `The largest ferry, the Aurora, carries 450`; empty if none.

        One of the two is a name and the other is not: `Skorn, Norway, has` is about Skorn alone.
        """
        start = self.text.find(self.own_subject, *self.span) + len(self.own_subject)
        end = self.text.find(",", start + 1, self.span[1])
        if not self.own_subject or not self.text.startswith(",", start) or end < 0:
            return ""
        row, own = words(self.text, start, end), words(self.own_subject)
        after = next((place for place, word in enumerate(self.words) if word.start > end), len(self.words))
        is_one = 0 < len(row) <= LONGEST_ALIAS and all(word.lower not in NOT_IN_ALIAS for word in row)
        if not is_one or after == len(self.words) or not is_verb_at(self.words, after):
            return ""
        is_told_apart = row[0].lower == "the" or row[0].capital
        return self.text[row[0].start : row[-1].end] if is_told_apart and _is_named(row) != _is_named(own) else ""

    def _denies_another(self, word: Word) -> bool:
        """Whether a `not` is about something else: `written by Brontë, not by Austen`, `and never by her brother`."""
        before = self.text[self.span[0] : word.start].rstrip()
        after = self.text[word.end : self.span[1]]
        return word.lower in ("not", "never") and bool(_JOINED.search(before)) and not _AND_BUT.search(after)


DIRECTIONS = table("to from by for into")
"""Prepositions that turn a statement round if one stands for another."""
IN_OR_OUT = table("in inside within outside")
_IN_WORDS = {"inside": "in", "within": "in"}
LONGEST_ALIAS = 5
"""In words."""
NOT_IN_ALIAS = PREPOSITIONS | CONJUNCTIONS | NEGATIONS | AUXILIARIES


def _is_named(row: list[Word]) -> bool:
    """Whether words are a name: `the Aurora`, but not `The largest ferry`."""
    return any(word.capital for word in (row[1:] if len(row) > 1 else row))


@lru_cache(maxsize=8_000)
def content(text: str) -> frozenset[str]:
    """The content words of a text, as what they are counted as."""
    if language(text) != "en":
        return frozenset(tokens(text))
    return frozenset(filter(None, (word.stem for word in words(text))))


@lru_cache(maxsize=256)
def topic_before(question: str, before: str = "") -> str:
    """What the first pronoun of a text stands for: the last subject named before it, or what its question is about."""
    topic = about(question)
    for clause in read(before, topic):
        topic = _next_topic(topic, clause)
    return topic


def spelled_out(text: str) -> list[str]:
    """The sentences of a text, each after what its first pronoun stands for: `The Halden Museum: It opened.`."""
    first = {clause.sentence: clause for clause in reversed(read(text))}
    pointing = {span for span, clause in first.items() if clause.own_subject and is_anaphor(clause.own_subject)}
    return [
        f"{first[span].subject}: {text[slice(*span)]}" if span in pointing else text[slice(*span)]
        for span in sentences(text)
    ]


def points_back(sentence: str) -> bool:
    """Whether a sentence begins with what the text before it has named: `It opened`, `The tower stands`."""
    first = next(iter(read(sentence)), None)
    return first is not None and bool(first.own_subject) and is_anaphor(first.own_subject)


def read(text: str, topic: str = "") -> tuple[Clause, ...]:
    """All clauses of a text. `topic` is what its first pronoun stands for."""
    return read_parts((Part(text, topic),))


class Part(NamedTuple):
    """A part of a text, with a topic of its own: what its first pronoun stands for."""

    text: str
    topic: str
    heading: str = ""


PARTING = "\n\n"
"""What stands between the parts of a text."""


@lru_cache(maxsize=256)
def read_parts(parts: tuple[Part, ...]) -> tuple[Clause, ...]:
    """All clauses of the parts of a text. No pronoun points back into another part."""
    text = PARTING.join(part.text for part in parts)
    clauses: list[Clause] = []
    first = 0
    for part in parts:
        clauses += (replace(clause, heading=part.heading) for clause in _of_part(text, first, part))
        first += len(part.text) + len(PARTING)
    return tuple(clauses)


def _of_part(text: str, first: int, part: Part) -> Iterator[Clause]:
    """The clauses of the part that begins at an offset of a text."""
    cjk, topic = language(part.text) != "en", part.topic
    for start, end in sentences(part.text):
        sentence = first + start, first + end
        span = sentence[0], min(sentence[1], sentence[0] + LONGEST_SENTENCE)
        for clause in _cjk_clauses(text, span, topic) if cjk else _clauses(text, sentence, span, topic, part.topic):
            yield clause
            topic = _next_topic(topic, clause)


def _next_topic(topic: str, clause: Clause) -> str:
    """What the next pronoun stands for: the last subject that was named, in its fullest form."""
    if not topic:
        return clause.subject
    own = clause.own_subject
    if not own or content(own) < content(topic):
        return topic
    if is_anaphor(own):  # `The deposit is returned. The fee ...`: one thing without a name after the other
        is_another = own.split()[0].lower() not in PERSONAL and not content(own) <= content(topic)
        return own if is_another and not has_name(topic) else topic
    return topic if _stays(topic, clause) else clause.subject


def _stays(topic: str, clause: Clause) -> bool:
    """Whether a topic remains one though something without a name is the subject.

    It is spoken of all the same (`A storm broke its roof`), or what happens, happens to it (`Building began in 1806`).
    """
    own = words(clause.own_subject)
    if clause.cjk or has_name(clause.own_subject):
        return False
    if own[0].lower in POSSESSIVES:
        return False
    said = clause.words[clause.verb + 1 :]
    kind = {word.stem for word in words(topic)[-1:]}  # `the mill` of Harrow Mill
    points_back = POINTING_BACK & {word.lower for word in said} or kind & {word.stem for word in said}
    return bool(points_back) or own[0].lower not in ARTICLES


@lru_cache(maxsize=4_000)
def has_name(subject: str) -> bool:
    """Whether a subject has a name, and not just the capital that a sentence begins with."""
    return any(fact.kind == "name" for fact in facts.find(subject, 0, len(subject)))


@lru_cache(maxsize=4_000)
def is_anaphor(subject: str) -> bool:
    """Whether a subject points back: a pronoun, or an article with common nouns only (`The tower`)."""
    subject_words = words(subject)
    if not subject_words:
        return True
    if subject_words[0].lower in PERSONAL and (len(subject_words) == 1 or subject_words[0].lower in ("this", "these")):
        return True
    return (
        subject_words[0].lower in ARTICLES
        and len(subject_words) <= 3
        and not any(word.capital for word in subject_words[1:])
    )


@lru_cache(maxsize=4_000)
def resolve(subject: str, topic: str, page: str = "") -> str:
    """The subject with what it points back to: `its spire` is the spire of the tower.

    Args:
        subject: The words before the verb.
        topic: What was spoken of last.
        page: What the whole text is about.
    """
    subject_words = words(subject)
    if not topic or (subject_words and not is_anaphor(subject) and subject_words[0].lower not in PERSONAL):
        return subject
    nouns = [word.text for word in subject_words if word.lower not in PERSONAL and word.lower not in ARTICLES]
    possessive = bool(subject_words) and subject_words[0].lower in POSSESSIVES
    if page and nouns and nouns[-1].lower() in page.lower().split():  # it is named again: `the first iPhone`
        return page if all(noun.lower() in page.lower() for noun in nouns) else subject
    if all(noun.lower() in topic.lower() or (noun.endswith(PERSON_ENDINGS) and not possessive) for noun in nouns):
        return topic
    if not possessive and not has_name(topic):
        return subject
    return f"the {' '.join(nouns)} of {topic}"


def about(question: str) -> str:
    """What a question is about: its first name, or what it asks of; empty if it does not say."""
    question = question[:LONGEST_SENTENCE]
    names = [fact.text for fact in facts.find(question, 0, len(question)) if fact.kind == "name"]
    names = [name for name in names if name.lower() not in QUESTION_WORDS]
    if names:
        return names[0]
    content_words = [
        word.text for word in words(question) if word.lower not in AUXILIARIES | PRONOUNS | ADVERBS | PREPOSITIONS
    ]
    nouns = [word for word in content_words if stem(word) and not is_past(word) and word.lower() not in QUESTION_WORDS]
    return " ".join(nouns[:4])


def _clauses(text: str, sentence: Span, span: Span, topic: str, page: str) -> list[Clause]:
    sentence_words = _without_address(text, words(text, *span))
    span = (sentence_words[0].start if sentence_words else span[0], span[1])
    opening, asides = _opening(text, sentence_words), _aside(text, sentence_words)
    breaks = [index for index in _breaks(text, sentence_words) if index > opening]
    cuts = sorted({0, *([opening] if opening else []), *asides, *breaks, len(sentence_words)})
    result: list[Clause] = []
    subject, main_subject = "", topic
    for first, last in pairwise(cuts):
        part = sentence_words[first:last]
        if not part:
            continue
        leading = _subject_words(text, part) if first or not opening else []
        own = text[leading[0].start : leading[-1].end] if leading else ""
        if not result and not first and last in asides:  # `Junko Tabei, who was Japanese, was the first ...`
            main_subject = subject = resolve(text[part[0].start : part[-1].end], main_subject)
            continue
        relative = (bool(result) or bool(asides)) and part[0].lower in RELATIVE_PRONOUNS
        if own or (not result and not asides):
            subject = resolve(own, main_subject or topic, page)
        else:
            subject = ((result and _antecedent(result[-1])) or subject) if relative else main_subject
        start = part[0].start if result else span[0]
        end = sentence_words[last].start if last < len(sentence_words) else span[1]
        result.append(Clause(text, sentence, (start, end), subject, own, topic=topic))
        if not relative:
            main_subject = subject
    if opening and len(result) > 1:
        result[0] = replace(result[0], subject=result[1].subject)
    return result


def _aside(text: str, sentence_words: list[Word]) -> list[int]:
    """Where a clause between the subject and its verb begins and ends; [] if there is none.

    It is relative, or a participle: `Arlen, founded in 1850, has a harbour`.
    """
    verb = first_verb(sentence_words)
    relative = next((i for i in range(1, verb) if sentence_words[i].lower in ("who", "which", "whose")), 0)
    begins = relative or _participle(sentence_words, verb)
    if not begins or "," not in text[sentence_words[begins - 1].end : sentence_words[begins].start]:
        return []
    for index in range(begins + 2, len(sentence_words)):
        if "," in text[sentence_words[index - 1].end : sentence_words[index].start]:
            goes_on = is_verb_at(sentence_words, index) if relative else sentence_words[index].text in AUXILIARIES
            return [begins, index] if goes_on else []
    return []


def _participle(row: list[Word], verb: int) -> int:
    """Where a participle with its adverbs begins, if it is the first verb and nothing stands before its subject."""
    if verb == len(row) or row[0].lower in CONJUNCTIONS | PREPOSITIONS or row[verb].text in AUXILIARIES:
        return 0
    begins = verb
    while begins and row[begins - 1].lower in ADVERBS:
        begins -= 1
    return begins if _opens_as_participle(row[begins:]) else 0


def _opens_as_participle(row: list[Word]) -> bool:
    """Whether words begin with a participle, or with one behind an adverb: `first built in 1800`."""
    first = next((word for word in row if word.lower not in ADVERBS), None)
    return first is not None and first.text.islower() and is_past(first.text)


def _opening(text: str, sentence_words: list[Word]) -> int:
    """The number of words of the participle phrase that a sentence begins with; 0 if there is none."""
    if not opens_phrase(sentence_words) or first_verb(sentence_words) == len(sentence_words):
        return 0
    commas = (
        i for i in range(2, len(sentence_words)) if "," in text[sentence_words[i - 1].end : sentence_words[i].start]
    )
    return next(commas, 0)


ADDRESSING = table("you my dear hey oh o well listen look hello hi ladies friends folks guys fools idiots")


def is_passive(clause: Clause) -> bool:
    """Whether something is done to its subject: `was first opened`."""
    row, verb = clause.words, clause.verb
    if verb >= len(row) or row[verb].lower not in ("is", "are", "was", "were"):
        return False
    after = next((word for word in row[verb + 1 :] if word.lower not in ADVERBS), None)
    return after is not None and is_past(after.lower)


def _without_address(text: str, sentence_words: list[Word]) -> list[Word]:
    """The words of a sentence without the address that it opens with: `You fools, the tower was ...`."""
    if not sentence_words or sentence_words[0].lower not in ADDRESSING:
        return sentence_words
    for index in range(1, min(len(sentence_words), 6)):
        if "," in text[sentence_words[index - 1].end : sentence_words[index].start]:
            has_verb = first_verb(sentence_words[index:]) < len(sentence_words) - index
            return (
                sentence_words[index:] if has_verb and first_verb(sentence_words[:index]) == index else sentence_words
            )
    return sentence_words


def _breaks(text: str, sentence_words: list[Word]) -> list[int]:
    """Indices of the words that begin a new clause."""
    cuts: list[int] = []
    has_verb = False  # the clause so far: without a verb it cannot end
    for index in range(1, len(sentence_words) - 1):
        has_verb = has_verb or is_verb_at(sentence_words, index - 1)
        if has_verb and _begins_clause(
            text[sentence_words[index - 1].end : sentence_words[index].start], sentence_words, index
        ):
            cuts.append(index)
            has_verb = False
    return cuts


def _begins_clause(gap: str, sentence_words: list[Word], index: int) -> bool:
    """Whether a word begins a clause, going by what is between it and the word before, and by what follows."""
    word = sentence_words[index].lower
    if ";" in gap or "—" in gap or ("," in gap and word in RELATIVES):
        return True
    if word in ("that", "which") and is_verb_at(sentence_words, index + 1) and _defines(sentence_words[:index]):
        return True
    if word in ("and", "but", "or") and _predicate_follows(sentence_words, index + 1):
        return True
    return "," in gap and word in ("and", "but", "so") and _sentence_follows(sentence_words, index + 1)


def _defines(row: list[Word]) -> bool:
    """Whether words say what their subject is: in `X is a river that flows ...` it is X that flows."""
    verb = first_verb(row)
    be, article = row[verb : verb + 1], row[verb + 1 : verb + 2]
    is_so = bool(be and article) and be[0].lower in ("is", "was") and article[0].lower in ("a", "an", "the", "one")
    return is_so and not any(is_verb_at(row, index) for index in range(verb + 1, len(row)))


def _predicate_follows(sentence_words: list[Word], index: int) -> bool:
    while index < len(sentence_words) - 1 and sentence_words[index].lower in ADVERBS:
        index += 1
    if index >= len(sentence_words) or not sentence_words[index].text.islower():
        return False
    word = sentence_words[index].lower
    if word in PERSONAL and index + 1 < len(sentence_words):
        return is_verb_at(sentence_words, index + 1)
    return word in AUXILIARIES or is_past(word) or (is_present(word) and word.endswith("s"))


def _sentence_follows(sentence_words: list[Word], index: int) -> bool:
    return index + first_verb(sentence_words[index : index + 7]) < min(index + 7, len(sentence_words))


def _subject_words(text: str, part: list[Word]) -> list[Word]:
    """The words before the first verb, without conjunction, opening phrase (`In 1889, `) and adverbs."""
    first = 0
    while first < len(part) and part[first].lower in CONJUNCTIONS | RELATIVES | TIMELY:
        first += 1
    if first and part[first - 1].lower in ("and", "but", "or") and _predicate_follows(part, first):
        return []
    if first < len(part) and (part[first].lower in PREPOSITIONS or is_past(part[first].lower)):
        commas = (i for i in range(first + 1, len(part)) if "," in text[part[i - 1].end : part[i].start])
        first = next(commas, None) or _after_opening(part, first)
    verb = first + first_verb(part[first:])
    if verb >= len(part):
        return []
    subject_words = part[first:verb]
    for index in range(1, len(subject_words)):
        gap = text[subject_words[index - 1].end : subject_words[index].start]
        if "," in gap or "(" in gap:
            subject_words = subject_words[:index]
            break
    while subject_words and subject_words[-1].text in ADVERBS | NEGATIONS:
        subject_words = subject_words[:-1]
    return subject_words


OPENS = table("it he she they each every") | ARTICLES
"""Words that a phrase begins with, unless it belongs to a preposition."""


def _after_opening(part: list[Word], first: int) -> int:
    """Where the subject begins after an opening phrase without a comma: `During the panic of 1893 it was ...`."""
    verb = first + first_verb(part[first:])
    before_it = PREPOSITIONS | ARTICLES | CONJUNCTIONS
    starts = (
        index
        for index in range(first + 2, verb)
        if part[index].lower in OPENS and part[index - 1].lower not in before_it
    )
    return next(starts, first)


def _antecedent(clause: Clause) -> str:
    """The name that a clause ends with: what `, who ...` is about."""
    names = [fact for fact in clause.facts if fact.kind == "name"]
    if names and not re.search(r"\w", clause.text[names[-1].end : clause.span[1]]):
        return names[-1].text
    return ""


def _cjk_clauses(text: str, span: Span, topic: str) -> list[Clause]:
    """Clauses between commas; the first one's words name the subject for all of them."""
    result: list[Clause] = []
    for match in re.finditer(r"[^，,；;。]+[，,；;。]?", text[span[0] : span[1]]):
        start, end = span[0] + match.start(), span[0] + match.end()
        own = cjk_subject(text[start:end])
        earlier = result[-1].subject if result else topic
        subject = earlier + own if own in CJK_MEASURES and earlier else own or earlier
        result.append(Clause(text, span, (start, end), subject, own, cjk=True))
    return result


CJK_PRONOUNS = table("它 他 她 它们 他们 其 这 该塔 该国 그 그것 그녀 이 이것 이곳")
CJK_MEASURES = table("高度 长度 面积 人口 重量 首都 높이 길이 면적 인구 무게 수도")
_CJK_SUBJECT = re.compile(r"^[\s]*(.{1,14}?)(?:是|于|在|位于|建|高|由|有|出生|的|(?<=[가-힣])[은는이가의](?=\s|\d))")


def cjk_subject(clause: str) -> str:
    """What stands before the first verb or particle; empty for a pronoun."""
    match = _CJK_SUBJECT.match(clause)
    subject = match[1].strip() if match else ""
    return "" if subject in CJK_PRONOUNS else subject
