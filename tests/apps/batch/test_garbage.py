"""While a batch runs, Python looks for garbage less often; afterwards as before."""

import gc

import pytest

from errata.apps.batch.garbage import OBJECTS, seldom_collected


def interrupted() -> None:
    with seldom_collected():
        assert gc.get_threshold()[0] >= OBJECTS
        assert gc.get_freeze_count()
        raise KeyboardInterrupt


def test_what_was_there_before_is_left_alone_only_meanwhile() -> None:
    before = gc.get_threshold(), gc.get_freeze_count()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (gc.get_threshold(), gc.get_freeze_count()) == before
