"""A system-call filter for the sandbox: it denies what no calculation needs and what has let programs out before.

The namespaces isolate the program; this keeps it from starting others, from memory that no limit counts, and from parts
of the kernel with known faults.
"""

import platform
import struct

from ...state.errors import ConfigurationError

# Numbers on x86-64 and on aarch64; None if there is no such call.
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    "fork": (57, None),
    "vfork": (58, None),
    "socket": (41, 198),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "kcmp": (312, 272),
    # memory that the limit on address space does not count
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "semget": (64, 190),
    "mq_open": (240, 180),
    # other namespaces and mounts
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "open_tree": (428, 428),
    "fsopen": (430, 430),
    "mount_setattr": (442, 442),
    "unshare": (272, 97),
    "setns": (308, 268),
    "open_by_handle_at": (304, 265),
    # the kernel's own machinery
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "keyctl": (250, 219),
    "add_key": (248, 217),
    "request_key": (249, 218),
}
_CLONE = (56, 220)
_CLONE3 = 435
_MACHINES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_EPERM, _ENOSYS = 1, 38
_NUMBER, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16
"""Where the fields are in the kernel's record of a call (the low half of the argument, on these machines)."""
_CLONE_THREAD = 0x00010000
_OTHER_INTERFACE = 0x40000000
"""Numbers from here on belong to the 32-bit interface of x86-64."""


def syscall_filter() -> bytes:
    """The filter in the kernel's form: a classic BPF program for this machine."""
    if platform.machine() not in _MACHINES:
        raise ConfigurationError(f"the sandbox does not know the system calls of {platform.machine()}: use monty")
    column, machine = _MACHINES[platform.machine()]
    refused = [numbers[column] for numbers in _REFUSED.values()]
    program = [
        _step(_LOAD, _MACHINE),
        *_unless(_EQUAL, machine, _KILL),
        _step(_LOAD, _NUMBER),
        *_when(_AT_LEAST, _OTHER_INTERFACE, _KILL),
        # a filter cannot see its flags; without it, threads are made by clone
        *_when(_EQUAL, _CLONE3, _ERRNO | _ENOSYS),
        *(step for number in refused if number is not None for step in _when(_EQUAL, number, _ERRNO | _EPERM)),
        # threads, but no processes
        *_unless(_EQUAL, _CLONE[column], _ALLOW),
        _step(_LOAD, _FIRST_ARGUMENT),
        *_unless(_ANY_BIT, _CLONE_THREAD, _ERRNO | _EPERM),
        _step(_RETURN, _ALLOW),
    ]
    return b"".join(program)


def _when(test: int, operand: int, verdict: int) -> list[bytes]:
    return [_step(test, operand, no=1), _step(_RETURN, verdict)]


def _unless(test: int, operand: int, verdict: int) -> list[bytes]:
    return [_step(test, operand, yes=1), _step(_RETURN, verdict)]


def _step(code: int, operand: int, *, yes: int = 0, no: int = 0) -> bytes:
    """One instruction; `yes` and `no` are how many of the next ones a test skips."""
    return struct.pack("=HBBI", code, yes, no, operand)
