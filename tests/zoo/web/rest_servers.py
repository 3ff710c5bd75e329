"""Servers of REST in a thread, and requests without a library for them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPMessage
from typing import Any, NamedTuple

from tests.zoo.web.servers import PATIENCE, listening
from zoo.web.rest_requests import RestLimits
from zoo.web.rest_server import RestServer


class Answer(NamedTuple):
    """What a server answered."""

    status: int
    headers: HTTPMessage
    text: str

    @property
    def document(self) -> Any:
        """Its JSON."""
        return json.loads(self.text)

    @property
    def error(self) -> str:
        """The message of an error, which is all that it says."""
        assert list(self.document) == ["error"] and "Traceback" not in self.text
        assert self.headers["content-type"].startswith("application/json")
        return str(self.document["error"])


def answer_of(port: int, method: str, path: str, body: Any = None, **headers: str) -> Answer:
    """The answer of the server at a port of 127.0.0.1; ``content_type`` is a header, too."""
    connection = HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, body, named)
        found = connection.getresponse()
        return Answer(found.status, found.headers, found.read().decode())
    finally:
        connection.close()


@dataclass
class RunningRest:
    """A server that listens."""

    port: int
    server: RestServer

    @property
    def host(self) -> str:
        return f"127.0.0.1:{self.port}"

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """The answer to a request."""
        return answer_of(self.port, method, path, body, **headers)

    def post(self, path: str, body: Any = b"", **headers: str) -> Answer:
        """The answer of a verb, such as ``"classify?top_k=1"``."""
        return self.ask("POST", f"/v1/{path}", body, **headers)


@contextmanager
def rest_running(*, token: str = "", limits: RestLimits | None = None) -> Iterator[RunningRest]:
    """A server of REST, which ends with the block."""
    server = RestServer(limits=limits)
    with listening(server.application(), server.limits, token, as_json=True) as (port, _):
        yield RunningRest(port, server)
