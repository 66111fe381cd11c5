"""Where a judge is, and what runs it: onnxruntime for an ONNX file, torch for weights."""

import importlib.util
from pathlib import Path
from typing import Literal, NamedTuple

from ...state.errors import ConfigurationError, absent
from ..local import catalogue, hub
from .notes import CONFIG

Runtime = Literal["onnx", "torch"]

PACKAGES: dict[Runtime, tuple[str, ...]] = {"onnx": ("onnxruntime", "tokenizers"), "torch": ("torch", "transformers")}
EXTRAS: dict[Runtime, str] = {"onnx": "onnx", "torch": "nli"}
PREFERRED = ("model_int8", "model_quantized", "model")
"""Of several ONNX files, the first of these is used: on a processor, small numbers are faster and nearly as good."""


class Place(NamedTuple):
    """A judge's folder, and its network."""

    folder: Path
    runtime: Runtime
    network: Path
    """The ONNX file; for torch the folder, in which it finds the weights itself."""


def find(name: str) -> Place:
    """The judge that a setting names.

    Args:
        name: A folder, an ONNX file in one, or a name of the list of models.

    Raises:
        ConfigurationError: If there is none, or nothing that runs it.
    """
    path = located(name)
    if path.is_file() and path.suffix != ".onnx":
        raise ConfigurationError(f"{path} is no ONNX file: name the folder that holds the model")
    folder = path if path.is_dir() else path.parent
    if not (folder / CONFIG).is_file() and path.is_file():  # exporters put the networks into a separate folder
        folder = folder.parent
    network = path if path.is_file() else _onnx_file(folder)
    has_weights = any(folder.glob("*.safetensors")) or any(folder.glob("pytorch_model*.bin"))
    if network is None and not has_weights:
        raise ConfigurationError(f"{folder} holds no network: neither an ONNX file nor weights")
    if network and _installed("onnx"):
        return Place(folder, "onnx", network)
    if has_weights and not path.is_file() and _installed("torch"):
        return Place(folder, "torch", folder)
    missing: Runtime = "onnx" if network else "torch"
    needs = " and ".join(PACKAGES[missing])
    raise ConfigurationError(f"the judge at {name} needs {needs}: run `pip install 'errata[{EXTRAS[missing]}]'`")


def located(name: str) -> Path:
    """The folder or file that a setting names, or the folder of a model of the list: nothing is downloaded.

    Raises:
        ConfigurationError: If there is none.
    """
    path = Path(name).expanduser()
    if path.exists():
        return path
    if name in catalogue.MODELS:
        return hub.path_of(catalogue.MODELS[name])
    raise ConfigurationError(
        absent(name, "name a folder that holds a judge, or one that `errata models list` names", "judge")
    )


def listed_labels(name: str) -> str | None:
    """What the classes of a model of the list mean, where that has to be said."""
    of_list = not Path(name).expanduser().exists() and name in catalogue.MODELS
    return catalogue.MODELS[name].labels or None if of_list else None


def _installed(runtime: Runtime) -> bool:
    return all(importlib.util.find_spec(package) for package in PACKAGES[runtime])


def _onnx_file(folder: Path) -> Path | None:
    files = sorted([*folder.glob("*.onnx"), *folder.glob("onnx/*.onnx")])
    by_stem = {file.stem: file for file in reversed(files)}
    preferred = next((by_stem[stem] for stem in PREFERRED if stem in by_stem), None)
    if preferred or len(files) < 2:
        return preferred or next(iter(files), None)
    raise ConfigurationError(f"{folder} holds several networks: name one of them, as in `nli={files[0]}`")
