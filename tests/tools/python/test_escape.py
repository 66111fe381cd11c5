"""Programs that try to get out, or to do harm from within. None may, in either interpreter.

Every program ends in bounded time, with a named error or a harmless value. The host keeps a secret in a file and in its
environment, listens on a port, and watches a folder: no secret comes out, nobody calls, and nothing changes.
"""

import os
import resource
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from errata.tools.python import Execution, PythonTool

SECRET = "the-secret-7d1f"

# They must end with an error.
REFUSED = {
    "read passwd": "answer = open('/etc/passwd').read()",
    "read a secret": "answer = open({secret!r}).read()",
    "read by a low-level call": "import os\nanswer = os.read(os.open({secret!r}, 0), 100)",
    "read by pathlib": "from pathlib import Path\nanswer = Path({secret!r}).read_text()",
    "read the host's memory": "answer = open('/proc/{pid}/environ').read()",
    "read its own": "answer = open('/proc/self/environ').read()",
    "list the host's folder": "import os\nanswer = os.listdir({folder!r})",
    "write to the host's folder": "open({folder!r} + '/new', 'w').write('ESCAPED')",
    "overwrite a secret": "open({secret!r}, 'w').write('ESCAPED')",
    "write to the root": "open('/new', 'w').write('ESCAPED')",
    "write to the library": "import os\nopen(os.__file__, 'a').write('ESCAPED')",
    "delete": "import os\nos.remove({secret!r})",
    "delete a tree": "import shutil\nshutil.rmtree({folder!r})",
    "link": "import os\nos.symlink({secret!r}, '/tmp/link')\nanswer = open('/tmp/link').read()",
    "environment": "import os\nanswer = os.environ['ERRATA_SECRET']",
    "environment, low-level": "import posix\nanswer = posix.environ[b'ERRATA_SECRET']",
    "connect": "import socket\nsocket.create_connection(('127.0.0.1', {port}), 1)\nanswer = 'ESCAPED'",
    "connect outside": "import socket\nsocket.create_connection(('1.1.1.1', 53), 1)\nanswer = 'ESCAPED'",
    "datagram": "import socket\nsocket.socket(2, 2).sendto(b'x', ('127.0.0.1', {port}))\nanswer = 'ESCAPED'",
    "fetch": "import urllib.request\nanswer = urllib.request.urlopen('http://127.0.0.1:{port}/', timeout=1).read()",
    "look up a name": "import socket\nanswer = socket.gethostbyname('localhost.localdomain')",
    "local socket": "import socket\nsocket.socket(socket.AF_UNIX).connect('/var/run/docker.sock')",
    "subprocess": "import subprocess\nanswer = subprocess.run(['/bin/echo', 'ESCAPED'], capture_output=True).stdout",
    "spawn": "import os\nos.posix_spawn('/bin/sh', ['sh', '-c', 'echo ESCAPED'], {{}})",
    "exec": "import os\nos.execv('/bin/sh', ['sh', '-c', 'echo ESCAPED'])",
    "popen": "import os\nanswer = os.popen('echo ESCAPED').read()",
    "fork": "import os\nos.fork()",
    "fork bomb": "import os\nwhile True:\n    os.fork()",
    "processes": "import multiprocessing\np = multiprocessing.Process(target=print)\np.start()\np.join()",
    "daemon": "import os, time\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(600)",
    "fork by system call": "import ctypes\nc = ctypes.CDLL(None, use_errno=True)\nassert c.fork() >= 0",
    "signal to the host": "import os\nos.kill({pid}, 9)\nanswer = 'ESCAPED'",
    "become root": "import os\nos.setuid(0)",
    "mount": "import ctypes\nassert ctypes.CDLL(None).mount(b'none', b'/tmp', b'tmpfs', 0, None) == 0",
    "unshare": "import ctypes\nassert ctypes.CDLL(None).unshare(0x10000000) == 0",
    "change the root": "import os\nos.chroot('/tmp')",
    "trace": "import ctypes\nassert ctypes.CDLL(None).ptrace(16, {pid}, 0, 0) == 0",
    "raise a limit": "import resource\nresource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))",
    "memory beyond the limit": "import ctypes\nassert ctypes.CDLL(None).memfd_create(b'x', 0) >= 0",
    "shared memory": "import ctypes\nassert ctypes.CDLL(None).shmget(0, 1 << 30, 0o1777) >= 0",
    "device": "answer = open('/dev/sda', 'rb').read(1)",
    "kernel settings": "open('/proc/sys/kernel/hostname', 'w').write('ESCAPED')",
    "bytes bomb": "answer = len(b'a' * 10 ** 10)",
    "list bomb": "x = [0]\nwhile True:\n    x += x",
    "small objects": "x = []\nwhile True:\n    x.append('a' * 1000 + str(len(x)))",
    "string doubling": "x = 'a'\nwhile True:\n    x += x",
    "dict bomb": "x = {{}}\nwhile True:\n    x[len(x)] = len(x)",
    "format bomb": "answer = len('%10000000000d' % 1)",
    "big integer": "answer = 10 ** 10 ** 8 % 7",
    "bigger integer": "answer = 1 << (1 << 40)",
    "infinite loop": "while True: pass",
    "caught timeout": (
        "while True:\n    try:\n        while True: pass\n    except BaseException:\n        print('caught')"
    ),
    "catching it in the end": "try:\n    while True: pass\nfinally:\n    while True: pass",
    "memory error caught": (
        "x = []\nwhile True:\n    try:\n        x.append('a' * 1000000 + str(len(x)))\n"
        "    except BaseException:\n        pass"
    ),
    "stubborn signals": (
        "import signal\nfor s in range(1, 32):\n    try: signal.signal(s, signal.SIG_IGN)\n    except OSError: pass\n"
        "while True: pass"
    ),
    "endless output": "while True:\n    print('x' * 1000)",
    "deep recursion": "def f(n): return f(n + 1) + 1\nf(0)",
    "deeper recursion": "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(n): return f(n + 1) + 1\nf(0)",
    "deep brackets": "x = " + "(" * 5000,
    "deep operators": "x = " + "-" * 15000 + "1",
    "many threads": "import threading, time\nwhile True:\n    threading.Thread(target=time.sleep, args=(9,)).start()",
    "fill the scratch folder": "n = 0\nwhile True:\n    open(f'/tmp/{{n}}', 'wb').write(b'x' * 1000000)\n    n += 1",
    "one large file": "f = open('/tmp/x', 'wb')\nwhile True:\n    f.write(b'x' * 1000000)",
    "many descriptors": "fs = []\nwhile True:\n    fs.append(open('/dev/null'))",
    "format strings": "answer = '{{0.__class__.__init__.__globals__[SECRET]}}'.format(int)",
    "a value that never ends": "class A:\n    def __str__(self):\n        while True: pass\nanswer = A()",
    "a value that is huge": "class A:\n    def __str__(self): return 'x' * 10 ** 11\nanswer = A()",
    "an error that never ends": ("class A(Exception):\n    def __str__(self):\n        while True: pass\nraise A"),
}

# They may end with a value, if it is a harmless one.
HARMLESS = {
    "sleeping": "import time\ntime.sleep(600)",
    "shell": "import os\nanswer = os.system('echo ESCAPED > {folder}/new; cat {secret}')",
    "builtins": "answer = __builtins__",
    "import by name": "answer = __import__('os').popen('cat {secret}').read()",
    "subclasses": "answer = ().__class__.__bases__[0].__subclasses__()",
    "subclasses to a process": (
        "for c in ().__class__.__bases__[0].__subclasses__():\n"
        "    if c.__name__ == 'Popen':\n        answer = c(['cat', {secret!r}])"
    ),
    "subclasses to a shell": (
        "import os\nfor c in ().__class__.__bases__[0].__subclasses__():\n    if c.__name__ == '_wrap_close':\n"
        "        answer = c.__init__.__globals__['system']('cat {secret}; echo ESCAPED > {folder}/new')"
    ),
    "globals of a loader": (
        "for c in ().__class__.__bases__[0].__subclasses__():\n"
        "    if c.__name__ == 'BuiltinImporter':\n        answer = c().load_module('posix').listdir({folder!r})"
    ),
    "frames of a generator": (
        "def g():\n    yield\nx = g()\nframe = x.gi_frame\nwhile frame.f_back:\n    frame = frame.f_back\n"
        "answer = frame.f_globals"
    ),
    "frames of an exception": (
        "try:\n    1 / 0\nexcept Exception as error:\n    frame = error.__traceback__.tb_frame\n"
        "    while frame.f_back:\n        frame = frame.f_back\n    answer = sorted(frame.f_globals)"
    ),
    "frames of the runner": ("import sys\nanswer = [str(sys._getframe(n).f_locals) for n in range(3)]"),
    "the garbage collector": "import gc\nanswer = len([o for o in gc.get_objects() if '{token}' in str(o)[:1000]])",
    "patching the runner": "import __main__\n__main__._shown = lambda *a: 'ESCAPED' * 10 ** 6",
    "code object": "def f(): pass\nf.__code__ = f.__code__.replace(co_consts=())\nanswer = f()",
    "bad bytecode": ("def f(): pass\nf.__code__ = f.__code__.replace(co_code=bytes([100, 255] * 50))\nanswer = f()"),
    "wild pointer": "import ctypes\nanswer = ctypes.cast(1, ctypes.POINTER(ctypes.c_char))[0]",
    "machine code": (
        "import ctypes, mmap\nm = mmap.mmap(-1, 4096, prot=7)\nm.write(bytes.fromhex('cd80c3'))\n"
        "answer = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(m)))()"
    ),
    "signal to the parent": "import os\nos.kill(os.getppid(), 9)",
    "signal to all": "import os\nos.kill(-1, 9)",
    "signal to the group": "import os\nos.killpg(0, 15)",
    "inherited descriptors": (
        "import os\nfor fd in range(3, 1024):\n"
        "    for call in (lambda: os.read(fd, 10), lambda: os.write(fd, b'ESC')):\n"
        "        try: call()\n        except OSError: pass"
    ),
    "its own input": "import os\nos.lseek(0, 0, 0)\nos.write(0, b'ESCAPED' * 1000)",
    "flooding the result": (
        "import os\nfor fd in range(2, 10):\n    try:\n        while True: os.write(fd, b'x' * 65536)\n"
        "    except OSError: pass"
    ),
    "thread that never ends": (
        "import threading\ndef spin():\n    while True: pass\nthreading.Thread(target=spin).start()\nanswer = 1"
    ),
    "at exit": "import atexit\n@atexit.register\ndef spin():\n    while True: pass\nanswer = 1",
    "no standard output": "import sys\nsys.stdout.close()\nanswer = 1",
    "replaced standard output": "import sys\nsys.stdout = None\nanswer = 1",
    "slow pattern": "import re\nanswer = re.match('(a+)+$', 'a' * 40 + 'b')",
    "cyclic value": "answer = []\nanswer.append(answer)",
    "deep value": "answer = []\nfor n in range(100_000):\n    answer = [answer]",
    "eval of text": "answer = eval(\"__import__('os').listdir('{folder}')\")",
    "a class posing as text": "class str:\n    pass\nclass A:\n    pass\nanswer = A()",
    "meddling with our names": "_errata_type = lambda x: x\n_errata_last = [0] * 1000\n5",
    "unpickling": "import pickle\nanswer = pickle.loads(b'cos\\nsystem\\n(S\"echo ESCAPED > {folder}/new\"\\ntR.')",
}


@dataclass
class Host:
    """What a program must not reach."""

    folder: Path
    secret: Path
    port: int
    calls: list[str]

    def fill(self, program: str) -> str:
        return program.format(
            folder=str(self.folder), secret=str(self.secret), port=self.port, pid=os.getpid(), token=SECRET
        )


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Host]:
    folder = tmp_path / "host"
    folder.mkdir()
    secret = folder / "secret"
    secret.write_text(SECRET)
    monkeypatch.setenv("ERRATA_SECRET", SECRET)
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams,
        socket.create_server(("127.0.0.1", 0)) as server,
    ):
        port = server.getsockname()[1]
        datagrams.bind(("127.0.0.1", port))
        calls: list[str] = []
        yield Host(folder, secret, port, calls)
        for listener, name in ((server, "connection"), (datagrams, "datagram")):
            listener.setblocking(False)
            try:
                listener.accept() if listener is server else listener.recv(1)
                calls.append(name)
            except BlockingIOError:
                pass
        assert calls == []
        assert [path.name for path in folder.iterdir()] == ["secret"]
        assert secret.read_text() == SECRET
        assert not Path("/new").exists()


async def attempted(tool: PythonTool, host: Host, program: str) -> Execution:
    """Run a hostile program, and see that this process has not suffered."""
    environment, threads = dict(os.environ), threading.active_count()
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    execution = await tool.execute(host.fill(program))
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 50_000
    assert dict(os.environ) == environment
    assert threading.active_count() <= threads + (os.cpu_count() or 1) + 2
    told = f"{execution['value']} {execution['output']} {execution['error']}"
    assert SECRET not in told
    assert "ESCAPED" not in told.replace(host.fill(program), "")
    assert "root:x:0" not in told
    return execution


@pytest.mark.parametrize("name", REFUSED)
async def test_what_must_not_be_is_refused(strict: PythonTool, host: Host, name: str) -> None:
    execution = await attempted(strict, host, REFUSED[name])
    assert execution["error"], execution
    assert execution["error"]["type"]
    assert execution["value"] == ""


@pytest.mark.parametrize("name", HARMLESS)
async def test_what_is_let_be_does_no_harm(strict: PythonTool, host: Host, name: str) -> None:
    await attempted(strict, host, HARMLESS[name])


async def test_after_all_this_both_still_work(strict: PythonTool, host: Host) -> None:
    assert (await strict.execute("answer = 6 * 7"))["value"] == "42"
