"""Running programs in CPython, between walls: a process that sees no files, no network and no other process.

It is for what Monty lacks. Where the walls do not hold it refuses to run anything.
"""

import asyncio
import json
import math
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from ...state.errors import ConfigurationError
from .child import Child, Ended
from .execution import (
    MAX_OUTPUT,
    MAX_VALUE,
    Execution,
    Interpreter,
    ProgramError,
    SandboxError,
    described,
    executed,
    failed,
    ran_too_long,
    used_too_much,
)
from .walls import INSTALL, PACKAGES_AT, SCRATCH
