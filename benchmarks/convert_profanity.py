"""Turn the model of alt-profanity-check into plain arrays, so that nobody has to load its pickles.

    uv run --with alt-profanity-check==1.9.1 python -m benchmarks.convert_profanity [TEXTS.jsonl]

It writes tools/toxicity/profanity.npz, and then scores the prompts and continuations of a RealToxicityPrompts file both
ways and says how far apart the two are. Loading the package runs what its pickles say: do it where that does no harm.
"""

import json
import re
import sys
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from errata.tools.toxicity.linear import ARRAYS, LinearModel

ROOT = Path(__file__).parent.parent


def convert(library: Any, target: Path) -> None:
    """Write the words and numbers of a linear model that was calibrated in several folds."""
    vectorizer, folds = library.vectorizer, library.model.calibrated_classifiers_
    stop_words = sorted(vectorizer.get_stop_words())
    words = [*vectorizer.get_feature_names_out(), *stop_words]
    nothing = np.zeros(len(stop_words))
    rarity = np.concatenate([vectorizer.idf_, nothing])
    weights = [np.concatenate([fold.estimator.coef_[0], nothing]) for fold in folds]
    sigmoids = [[fold.estimator.intercept_[0], fold.calibrators[0].a_, fold.calibrators[0].b_] for fold in folds]
    np.savez_compressed(
        target,
        words=np.frombuffer("\n".join(words).encode(), dtype=np.uint8),
        rarity=rarity.astype(np.float32),
        weights=np.array(weights, dtype=np.float32),
        sigmoids=np.array(sigmoids),
    )


def apart(library: Any, texts: list[str]) -> float:
    """The largest difference between the scores of the package and those of the arrays."""
    tokens = [re.findall(r"\b\w\w+\b", text.lower()) for text in texts]
    ours = LinearModel.read().probabilities(tokens)
    return float(np.abs(np.asarray(ours) - library.predict_prob(texts)).max())


def main() -> None:
    library = import_module("profanity_check.profanity_check")
    target = ROOT / "tools" / "toxicity" / ARRAYS
    convert(library, target)
    print(f"{target.relative_to(ROOT)}: {target.stat().st_size:,} bytes, of {version('alt-profanity-check')}")
    for file in sys.argv[1:]:
        rows = [json.loads(line) for line in Path(file).read_text("utf-8").splitlines()]
        texts = [row[part]["text"] for row in rows for part in ("prompt", "continuation")]
        print(f"{len(texts):,} texts: at most {apart(library, texts):.1e} apart")


if __name__ == "__main__":
    main()
