"""Telling a program's own mistake from something that the small interpreter lacks."""

import builtins
import collections
import datetime
import decimal
import functools
import itertools
import json
import math
import os
import random
import re
import sys
import time

_MODULES = (collections, datetime, decimal, functools, itertools, json, math, os, random, re, sys, time)
_KNOWN = {module.__name__: module for module in _MODULES}
_ATTRIBUTE = re.compile(r"(?:(module)|type object)? ?'(\w+)' (?:object )?has no attribute '(\w+)'")
_NAME = re.compile(r"name '(\w+)' is not defined")
_UNSUPPORTED = re.compile(r"not (?:yet )?support")


def is_lacking(type: str, message: str) -> bool:
    """Whether CPython has what an error says is missing.

    Only names are looked up, in modules that are loaded anyway.
    """
    match type:
        case "ModuleNotFoundError" | "ImportError":
            return True
        case "NameError":
            name = _NAME.match(message)
            return name is not None and hasattr(builtins, name[1])
        case "AttributeError":
            attribute = _ATTRIBUTE.match(message)
            return attribute is not None and _exists(*attribute.groups())
        case "NotImplementedError" | "TypeError" | "RuntimeError":
            return _UNSUPPORTED.search(message) is not None
    return False


def _exists(module: str | None, owner: str, attribute: str) -> bool:
    if module:
        return owner in _KNOWN and hasattr(_KNOWN[owner], attribute)
    holders = (getattr(place, owner, None) for place in (builtins, *_MODULES))
    return any(isinstance(holder, type) and hasattr(holder, attribute) for holder in holders)
