"""Ports of this machine for the servers of tests."""

import socket
from contextlib import ExitStack


def free_ports(number: int) -> list[int]:
    """Return different ports on which nobody listens now."""
    with ExitStack() as stack:
        probes = [stack.enter_context(socket.socket()) for _ in range(number)]
        for probe in probes:
            probe.bind(("127.0.0.1", 0))
        return [probe.getsockname()[1] for probe in probes]


def free_port() -> int:
    return free_ports(1)[0]
