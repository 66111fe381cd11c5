"""The sandbox for CPython: bubblewrap around an interpreter that sees only itself and the C library."""

import importlib.util
import os
import shutil
import sys
import sysconfig
from importlib.machinery import ModuleSpec
from pathlib import Path

from ...state.errors import ConfigurationError

INSTALL = "install bubblewrap (apt install bubblewrap, dnf install bubblewrap), or use the backend monty"
PACKAGES = ("dateutil", "numpy", "sympy", "mpmath", "six")
"""What a program may import besides the standard library, if it is installed here, and what that imports."""
PACKAGES_AT = "/packages"
SCRATCH = 16 << 20
"""The most bytes of files that a program can keep, in memory, in /tmp."""

_RUNNER = Path(__file__).with_name("inside.py")
_RUNNER_AT = "/inside.py"
_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache")


def command(filter_fd: int) -> list[str]:
    """The command that runs `inside.py` in the sandbox, with the system-call filter read from a descriptor."""
    bwrap = shutil.which("bwrap")
    if not bwrap:
        raise ConfigurationError(f"bubblewrap, which isolates programs, is missing: {INSTALL}")
    return [
        bwrap,
        *("--unshare-all", "--unshare-user", "--disable-userns", "--cap-drop", "ALL"),
        *("--uid", "65534", "--gid", "65534", "--hostname", "sandbox", "--clearenv"),
        *("--new-session", "--die-with-parent", "--seccomp", str(filter_fd)),
        *_visible(),
        *("--remount-ro", "/", "--chdir", "/tmp"),
        *(_interpreter(), "-I", "-S", "-B", "-X", "utf8", _RUNNER_AT),
    ]


def _interpreter() -> str:
    """The interpreter itself: inside there is no virtual environment."""
    return os.path.realpath(sys.executable)


def _visible() -> list[str]:
    """Arguments that lay out the file system: read-only except for the scratch folder."""
    arguments = ["--dev-bind", "/dev/null", "/dev/null"]
    # before the rest: an interpreter may be installed somewhere in /tmp
    arguments += ["--size", str(SCRATCH), "--tmpfs", "/tmp"]
    for path in _LIBRARIES:
        if os.path.islink(path):
            arguments += ["--symlink", os.readlink(path), path]
        else:
            arguments += ["--ro-bind-try", path, path]
    own_libraries = os.path.join(sys.base_prefix, "lib")
    for path in (own_libraries, _interpreter()):
        arguments += ["--ro-bind", path, path]
    for folder in _installed():
        arguments += ["--size", "4096", "--tmpfs", folder, "--remount-ro", folder]
    arguments += ["--ro-bind", str(_RUNNER), _RUNNER_AT, "--dir", PACKAGES_AT]
    for package in _packages():
        arguments += ["--ro-bind", str(package), f"{PACKAGES_AT}/{package.name}"]
    return arguments


def _installed() -> list[str]:
    """Folders with third-party packages beside the standard library, which are hidden."""
    library = sysconfig.get_path("stdlib")
    return [folder for name in ("site-packages", "dist-packages") if os.path.isdir(folder := f"{library}/{name}")]


def _packages() -> list[Path]:
    """The folders and files of the packages that a program may use, found without importing any."""
    specs = [spec for name in PACKAGES if (spec := _spec(name))]
    roots = {Path(path) for spec in specs for path in spec.submodule_search_locations or [spec.origin or ""]}
    beside = {root.with_name(f"{root.name}.libs") for root in roots}
    return sorted(path for path in roots | beside if path.exists())


def _spec(name: str) -> ModuleSpec | None:
    try:
        return importlib.util.find_spec(name)
    except ValueError:  # a stand-in without a spec
        return None
