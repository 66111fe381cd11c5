"""What tests of several files are given."""

from ..browser import chromium as chromium
