"""A lock that another thread held when the process was forked."""

import os
import subprocess
import sys

import pytest

FORKED = """
import os, threading
from errata.state.locks import ProcessLock

lock, held, over = ProcessLock(), threading.Event(), threading.Event()

def hold():
    with lock:
        held.set()
        over.wait()

threading.Thread(target=hold).start()
held.wait()
child = os.fork()
if child == 0:
    os._exit(0 if lock.acquire(blocking=False) else 1)
status = os.waitpid(child, 0)[1]
print(os.waitstatus_to_exitcode(status), lock.acquire(blocking=False))
over.set()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs processes that are forked")
def test_a_process_that_is_forked_off_finds_it_open_and_its_parent_does_not() -> None:
    ran = subprocess.run([sys.executable, "-W", "ignore", "-c", FORKED], capture_output=True, text=True, timeout=60)
    assert (ran.stdout, ran.stderr) == ("0 False\n", "")
