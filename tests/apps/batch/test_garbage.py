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
    gc.unfreeze()  # what a server that was started here before may have frozen
    before = gc.get_threshold()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert (gc.get_threshold(), gc.get_freeze_count()) == (before, 0)


def test_what_a_program_froze_itself_stays_frozen() -> None:
    gc.freeze()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert gc.get_freeze_count()
    gc.unfreeze()
