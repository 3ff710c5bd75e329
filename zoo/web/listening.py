"""The socket at which a server listens, its certificate, and the addresses that lead to it."""

from __future__ import annotations

import errno
import ipaddress
import os
import socket
import ssl
from contextlib import suppress
from time import monotonic

from weights_cache.common.errors import ZooError
from weights_cache.interruptions import pass_interruption

try:
    import resource
except ImportError:  # Windows, which has no limit of open files
    resource = None  # type: ignore[assignment]

#: Ports that addresses and the header `Host` leave out.
_DEFAULT_PORTS = {"http": 80, "https": 443}

#: An address of documentation (RFC 5737), which no packet is sent to.
_ELSEWHERE = ("192.0.2.1", 9)


class Listener(socket.socket):
    """A socket that listens, and keeps the number of open connections within a limit.

    One more than the limit ends the oldest connection whose request has not arrived: whoever sends
    a request at once is served, however many connections wait in silence.

    Args:
        family: of the address.
        most: connections that may be open.
    """

    def __init__(self, family: socket.AddressFamily, most: int):
        super().__init__(family, socket.SOCK_STREAM)
        self._most = most
        self._open: list[socket.socket] = []  # the oldest first
        self._served: set[int] = set()  # file descriptors
        self._failed = -1.0  # when accepting failed last, by the monotonic clock

    def accept(self) -> tuple[socket.socket, object]:
        """Return a new connection and its address, as sockets do.

        Raises:
            OSError: the process can open no more files; once, then there seem to be no connections,
                because asyncio tries again a second after each error.
        """
        try:
            connection, address = super().accept()
        except OSError as error:
            if error.errno in (errno.EMFILE, errno.ENFILE):
                self._note_failure()
            raise
        self._served.discard(connection.fileno())  # of an earlier connection
        self._open = [each for each in self._open if each.fileno() >= 0] + [connection]
        if len(self._open) > self._most:
            self._end_one()
        return connection, address

    def mark(self, descriptor: int, served: bool) -> None:
        """Note whether a connection has sent its request, or owes one."""
        (self._served.add if served else self._served.discard)(descriptor)

    def _note_failure(self) -> None:
        before, self._failed = self._failed, monotonic()
        if 0 <= self._failed - before < 0.5:
            raise BlockingIOError
        self._end_one()

    def _end_one(self) -> None:
        for connection in self._open:
            if connection.fileno() not in self._served:
                with suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)  # which its owner sees, and closes it
                self._open.remove(connection)
                return


def listening_socket(host: str, port: int, connections: int = 256) -> Listener:
    """Return a socket that listens at an address.

    Args:
        host: address or name of this computer.
        port: 0..65535; 0 for any that is free.
        connections: that may be open at one time; fewer where the process may open few files.

    Raises:
        ZooError: the port is invalid, or the address cannot be used.
    """
    if isinstance(port, bool) or not isinstance(port, int) or not 0 <= port <= 65535:
        raise ZooError(f"port={port!r} must be an integer between 0 and 65535; 0 for any free one")
    family, address = _resolved(host, port)
    listener = Listener(family, min(connections, _most_files() // 2))
    try:
        if os.name == "posix":  # on Windows it would let others take the port
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(128)
    except OSError as error:
        listener.close()
        pass_interruption(error)
        if error.errno == errno.EADDRNOTAVAIL:
            raise _foreign(host, error) from None
        raise ZooError(
            f"cannot listen at {host}:{port}: {error.strerror or error}; choose another port "
            "(--port), or 0 for any that is free"
        ) from None
    return listener


def _resolved(host: str, port: int) -> tuple[socket.AddressFamily, tuple[object, ...]]:
    try:
        if not host:
            raise ValueError("it is empty")
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    except (OSError, ValueError) as error:  # ValueError of names that cannot be encoded
        pass_interruption(error)
        raise _foreign(host, error) from None
    return found[0], found[4]


def _foreign(host: str, error: Exception) -> ZooError:
    return ZooError(
        f"host={host!r:.80} is not an address of this computer "
        f"({getattr(error, 'strerror', None) or error}); 127.0.0.1 is for this computer alone, "
        "0.0.0.0 for every other one as well"
    )


def _most_files() -> int:
    if resource is None:
        return 2**20
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return limit if limit > 0 else 2**20


def check_certificate(certificate: tuple[str, str]) -> None:
    """Check the files of a certificate and of its key.

    Raises:
        ZooError: a file is missing, garbled, locked by a password, or the key of another one.
    """
    for path in certificate:
        try:
            with open(path, "rb"):
                pass
        except OSError as error:
            pass_interruption(error)
            raise ZooError(
                f"the certificate file {path!r} cannot be read: {error.strerror or error}"
            ) from None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(*certificate, password=lambda: "")
    except (OSError, ValueError) as error:
        pass_interruption(error)
        raise ZooError(
            f"certificate={certificate[0]!r} and key={certificate[1]!r} cannot be used "
            f"({getattr(error, 'reason', None) or error}): give a certificate and its key, two "
            "files in PEM, the key without a password"
        ) from None


def is_local(host: str) -> bool:
    """Return whether no other computer reaches an address.

    >>> is_local("127.0.0.1"), is_local("localhost"), is_local("0.0.0.0")
    (True, True, False)
    """
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host.lower() == "localhost"


def is_any(host: str) -> bool:
    """Return whether an address stands for all addresses of this computer."""
    with suppress(ValueError):
        return ipaddress.ip_address(host).is_unspecified
    return False


def hosts_of(host: str, port: int, scheme: str) -> frozenset[str]:
    """Return the values of the header `Host` by which a server may be called.

    >>> sorted(hosts_of("127.0.0.1", 80, "http"))[:2]
    ['127.0.0.1', '127.0.0.1:80']
    """
    names = {"127.0.0.1", "localhost", "[::1]", _bracketed(host.lower())}
    if not is_local(host):
        own = socket.gethostname().lower()
        names |= {own, f"{own}.local", _bracketed(reachable_host(host))}
    ports = [f":{port}", *([""] if port == _DEFAULT_PORTS[scheme] else [])]
    return frozenset(name + ending for name in names for ending in ports)


def address_of(host: str, port: int, scheme: str, token: str, root_path: str = "") -> str:
    """Return the address to open in a browser."""
    address = _bracketed(reachable_host(host))
    if port != _DEFAULT_PORTS[scheme]:
        address += f":{port}"
    return f"{scheme}://{address}{root_path}/" + (f"?token={token}" if token else "")


def reachable_host(host: str) -> str:
    """Return an address that others can open: of all addresses, the one in the local network."""
    if not is_any(host):
        return host
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asked:
        asked.connect(_ELSEWHERE)  # which chooses a network, and sends nothing
        return str(asked.getsockname()[0])
    return socket.gethostname()


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
