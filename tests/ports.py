"""Ports of this machine for the servers of tests, and what answers there."""

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


def exchange(port: int, content: bytes, address: str = "127.0.0.1") -> bytes:
    """Return the answer to bytes as they stand, whatever a client would make of them. address: of the caller."""
    with socket.create_connection(("127.0.0.1", port), 60, (address, 0)) as connection:
        connection.sendall(content)
        connection.shutdown(socket.SHUT_WR)
        return b"".join(iter(lambda: connection.recv(65_536), b""))
