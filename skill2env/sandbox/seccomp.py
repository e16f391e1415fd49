"""The system calls that no container of ours needs, as a seccomp profile.

Containers keep the engine's other limits (no capabilities, no new privileges); this takes away kernel interfaces that
have a history of escapes, io_uring first (docs/security.md, the host).
"""

from __future__ import annotations

import json

_REFUSED = """
acct add_key bpf clock_adjtime clock_adjtime64 clock_settime clock_settime64 create_module delete_module
fanotify_init finit_module fsconfig fsmount fsopen fspick get_kernel_syms get_mempolicy init_module
io_uring_enter io_uring_register io_uring_setup ioperm iopl kcmp kexec_file_load kexec_load keyctl
landlock_create_ruleset lookup_dcookie mbind mount mount_setattr move_mount move_pages name_to_handle_at
nfsservctl open_by_handle_at open_tree perf_event_open pidfd_getfd pivot_root process_madvise
process_vm_readv process_vm_writev query_module quotactl quotactl_fd reboot request_key set_mempolicy
set_mempolicy_home_node setns settimeofday stime swapoff swapon sysfs syslog umount umount2 unshare
uselib userfaultfd ustat vhangup vm86 vm86old
""".split()  # noqa: SIM905  # a list of sixty strings is hard to read
_NEW_USER_NAMESPACE = 0x10000000
_ENOSYS = 38
_EAFNOSUPPORT = 97
_LAST_FAMILY = 45
_FAMILIES = (1, 2, 10, 16)
"""Unix, IPv4, IPv6 and netlink. Of the others, vsock reaches the host past `network none`, and most are rarely tested."""


def profile() -> str:
    """Return the profile as the JSON text that `--security-opt seccomp=` takes."""
    rules = [
        {"names": _REFUSED, "action": "SCMP_ACT_ERRNO"},
        {"names": ["clone3"], "action": "SCMP_ACT_ERRNO", "errnoRet": _ENOSYS},
        {
            "names": ["clone"],
            "action": "SCMP_ACT_ERRNO",
            "args": [
                {
                    "index": 0,
                    "value": _NEW_USER_NAMESPACE,
                    "valueTwo": _NEW_USER_NAMESPACE,
                    "op": "SCMP_CMP_MASKED_EQ",
                }
            ],
        },
        *(_no_socket(family) for family in range(1, _LAST_FAMILY + 1) if family not in _FAMILIES),
    ]
    return json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": rules})


def _no_socket(family: int) -> dict[str, object]:
    return {
        "names": ["socket"],
        "action": "SCMP_ACT_ERRNO",
        "errnoRet": _EAFNOSUPPORT,
        "args": [{"index": 0, "value": family, "op": "SCMP_CMP_EQ"}],
    }
