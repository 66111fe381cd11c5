"""Public models that are worth having on a machine: where they are, and what they are good for.

Each is pinned to a revision of its repository. Most files are pinned by their hash as well; for the others, the hash
that the hub gives is compared (`hub.py`).
"""

from dataclasses import dataclass
from typing import Literal

from ...state.errors import ConfigurationError, nearest

Kind = Literal["writes", "judges", "marks"]
KINDS: dict[Kind, str] = {
    "writes": "language models, which write and correct: --model embedded:NAME",
    "judges": "judges, which compare a claim with its evidence: --set nli=NAME",
    "marks": "detectors, which mark the words that the evidence does not support: --set nli=NAME",
}


@dataclass(frozen=True)
class Model:
    """A model of the list.

    Attributes:
        name: What it is called here.
        kind: What it does.
        repository: Where it is on the hub.
        revision: The commit of the repository.
        files: SHA-256 of each file by its path; empty where nobody has published it that could be asked.
        megabytes: About how much is fetched.
        licence: Of the weights.
        languages: Those that it was trained for.
        about: What it is good for.
        tried: Whether it was run with this program. The others should work.
    """

    name: str
    kind: Kind
    repository: str
    revision: str
    files: dict[str, str]
    megabytes: int
    licence: str
    languages: str
    about: str
    tried: bool = False
    labels: str = ""
    """What its classes mean, in their order, where its config does not say."""

    @property
    def size(self) -> str:
        """How much is fetched, for people."""
        return f"{self.megabytes / 1000:.1f} GB" if self.megabytes >= 1000 else f"{self.megabytes} MB"

    @property
    def weights(self) -> str:
        """The path of its largest file, which stands first."""
        return next(iter(self.files))


MODELS = {
    model.name: model
    for model in (
        Model(
            "qwen2.5-coder-1.5b-instruct",
            "writes",
            "Qwen/Qwen2.5-Coder-1.5B-Instruct-GGUF",
            "f86cb2c1fa58255f8052cc32aeede1b7482d4361",
            {
                "qwen2.5-coder-1.5b-instruct-q4_k_m.gguf": (
                    "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
                )
            },
            1117,
            "Apache-2.0",
            "English, Chinese, Korean and 26 more",
            "corrects by `ground`; writes programs",
            tried=True,
        ),
        Model(
            "qwen2.5-1.5b-instruct",
            "writes",
            "Qwen/Qwen2.5-1.5B-Instruct-GGUF",
            "91cad51170dc346986eccefdc2dd33a9da36ead9",
            {"qwen2.5-1.5b-instruct-q4_k_m.gguf": "6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e"},
            1117,
            "Apache-2.0",
            "English, Chinese, Korean and 26 more",
            "corrects by `ground`",
        ),
        Model(
            "qwen3-4b-instruct-2507",
            "writes",
            "unsloth/Qwen3-4B-Instruct-2507-GGUF",
            "a06e946bb6b655725eafa393f4a9745d460374c9",
            {"Qwen3-4B-Instruct-2507-Q4_K_M.gguf": "3605803b982cb64aead44f6c1b2ae36e3acdb41d8e46c8a94c6533bc4c67e597"},
            2497,
            "Apache-2.0",
            "English, Chinese, Korean and about 100 more",
            "corrects by `ground`, slower and better",
        ),
        Model(
            "qwen2.5-0.5b-instruct",
            "writes",
            "Qwen/Qwen2.5-0.5B-Instruct-GGUF",
            "9217f5db79a29953eb74d5343926648285ec7e67",
            {"qwen2.5-0.5b-instruct-q4_k_m.gguf": "74a4da8c9fdbcd15bd1f6d01d621410d31c6fc00986f5eb687824e7b93d7a9db"},
            491,
            "Apache-2.0",
            "English, Chinese, Korean and 26 more",
            "drafts only: it is too small to correct",
        ),
        Model(
            "deberta-v3-base-fever",
            "judges",
            "Xenova/DeBERTa-v3-base-mnli-fever-anli",
            "72a1ce83a0144efaf828b3c3844320a61197a53d",
            {
                "onnx/model_quantized.onnx": "ab9da76bb06054ea6b921560c1ecf5683a9e4d96f0ea73d78d3b4a8990aea882",
                "tokenizer.json": "a86f883318afa11c8c10466f1bf4efaeb6ded28a52cbe57217a8fa0d0a2a87df",
                "tokenizer_config.json": "",
                "config.json": "",
            },
            253,
            "MIT",
            "English",
            "trained on FEVER's claims; int8 ONNX",
        ),
        Model(
            "deberta-v3-small",
            "judges",
            "cross-encoder/nli-deberta-v3-small",
            "fa2804872c3b4bd748f38c0185cc85775361e735",
            {
                "onnx/model_quint8_avx2.onnx": "03c2221313dc0c3eac9cec1f746d1319d33f2c2901fcce1c0f08f4daac9b6dae",
                "tokenizer.json": "5124ef2ead1a10a717703bc436de7f353da76d6340e4587719b42b1693707964",
                "tokenizer_config.json": "",
                "config.json": "885d0dceae8fa5c136da9209121ec9eb11160488e840de3bc1f29353674e5712",
            },
            182,
            "Apache-2.0",
            "English",
            "quicker than the base one; int8 ONNX",
        ),
        Model(
            "deberta-v3-xsmall",
            "judges",
            "Xenova/nli-deberta-v3-xsmall",
            "2a4f614a701367a02d51389039afc998faeda637",
            {
                "onnx/model_quantized.onnx": "3fac2500c45c75af42c7711de0d1b93d59577456100208be0dc1f9e8811946b6",
                "tokenizer.json": "a86f883318afa11c8c10466f1bf4efaeb6ded28a52cbe57217a8fa0d0a2a87df",
                "tokenizer_config.json": "d8d3bb123b99317634d5ee3d1d2d8b2ddb01510a0654687fc2639a5347a7291f",
                "config.json": "ec0bd14cc28640326474399cd61d38ccd52b64900228799d0f81debda8c4bc53",
            },
            96,
            "Apache-2.0",
            "English",
            "the smallest; int8 ONNX",
        ),
        Model(
            "mdeberta-v3-base",
            "judges",
            "MoritzLaurer/mDeBERTa-v3-base-mnli-xnli",
            "8adb042d524ecd5c26d3e3ba0e3fbcf7e2d0864c",
            {
                "onnx/model_quantized.onnx": "27c39e884c14b03cf46cfc5485971b6db70ff330220d93dfe729c63fde43af0e",
                "tokenizer.json": "3aca3ce69a0a35aeb144a52c4f1d41c4246b8785f8f398315cc8fb6b24057810",
                "tokenizer_config.json": "df9fd3a4482cc4a866788244824573fab8e74dadd1609d4f0e5997f9e96921dc",
                "config.json": "4e4430c95100d613df80fa01276f231931e1b535557cf62fbb3cc50323e50cca",
            },
            355,
            "MIT",
            "Chinese, English and 13 more",
            "reads other languages too; int8 ONNX",
        ),
        Model(
            "minicheck-roberta-large",
            "judges",
            "lytang/MiniCheck-RoBERTa-Large",
            "74c8919647e61ed0f71bc177d94f10930f090068",
            {
                "pytorch_model.bin": "67af45a2d5a2706283821049232c7d7c81cea22e81dfdbb7097487a98bc61b53",
                "tokenizer.json": "",
                "tokenizer_config.json": "",
                "config.json": "",
            },
            1424,
            "MIT",
            "English",
            "says whether what models write is supported; needs the extra nli (torch)",
            labels="neutral,entailment",
        ),
        Model(
            "lettucedetect-base",
            "marks",
            "KRLabsOrg/lettucedect-base-modernbert-en-v1",
            "bbd77832f52f9bd87546a3924c032467921f5c34",
            {
                "model.safetensors": "",
                "tokenizer.json": "",
                "tokenizer_config.json": "",
                "special_tokens_map.json": "",
                "config.json": "",
            },
            600,
            "MIT",
            "English",
            "trained on answers from documents; needs the extra nli (torch)",
            labels="entailment,neutral",
        ),
    )
}
"""By name; of each kind, the first is the one to begin with."""


def first(kind: Kind) -> Model:
    """The model of a kind to begin with."""
    return next(each for each in MODELS.values() if each.kind == kind)


def model(name: str) -> Model:
    """The model of a name.

    Raises:
        ConfigurationError: If there is none.
    """
    if name not in MODELS:
        suggestion = nearest(name, MODELS, "`errata models list` lists them")
        raise ConfigurationError(f"there is no model `{name}`: {suggestion}")
    return MODELS[name]
