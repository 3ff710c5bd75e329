"""Go to definition: a language server finds the source of public names, as it does in editors."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.helpers import require
from tests.rules.sources import ROOT

#: Expressions of a program, and the files that define their last names.
DEFINED = {
    "core.add": "core/ops/binary.py",
    "core.matmul": "core/ops/linear.py",
    "core.mean": "core/ops/reduce.py",
    "core.squeeze": "core/ops/shape.py",
    "core.image.resize_bilinear": "core/ops/resize.py",
    "core.layers.Dense": "core/layers/built_in/basic.py",
    "core.Tensor": "core/engine/tensors.py",
    "core.grad": "core/autodiff/gradients.py",
    "zoo.detect": "zoo/tasks/detection/verbs.py",
}

LINES = ["import core", "import zoo", *DEFINED]


class Server:
    """A language server that is asked by JSON-RPC on its pipes."""

    def __init__(self, process: "subprocess.Popen[bytes]"):
        self._process, self._number = process, 0

    def request(self, method: str, **parameters: Any) -> Any:
        """Return the answer to a question; those of the server itself are answered by nothing."""
        self._number += 1
        self._send(id=self._number, method=method, params=parameters)
        while True:
            message = self._receive()
            if "method" in message and "id" in message:
                asked = message.get("params", {}).get("items", [])
                self._send(id=message["id"], result=[None for _ in asked])
            elif message.get("id") == self._number:
                assert "error" not in message, message
                return message["result"]

    def notify(self, method: str, **parameters: Any) -> None:
        """Say something that has no answer."""
        self._send(method=method, params=parameters)

    def _send(self, **message: Any) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        self._process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._process.stdin.flush()

    def _receive(self) -> dict[str, Any]:
        length = 0
        while (line := self._process.stdout.readline().strip()) or not length:
            name, _, value = line.partition(b": ")
            length = int(value) if name == b"Content-Length" else length
        return json.loads(self._process.stdout.read(length))


@contextmanager
def server(folder: Path) -> Iterator[Server]:
    """A server that knows a folder, and the packages of this checkout."""
    settings = {"extraPaths": [str(ROOT)], "pythonVersion": "3.10"}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    start = "import sys, basedpyright.langserver as server; sys.argv += ['--stdio']; server.main()"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    with subprocess.Popen([sys.executable, "-c", start], **pipes) as process:
        try:
            one = Server(process)
            root = {"uri": folder.as_uri(), "name": folder.name}
            one.request("initialize", processId=None, capabilities={}, workspaceFolders=[root])
            one.notify("initialized")
            yield one
            one.request("shutdown")
            one.notify("exit")
        finally:
            process.stdin.close()
            process.kill()


@pytest.fixture(scope="module")
def definitions(tmp_path_factory) -> dict[str, list[str]]:
    """The files that the server names for each expression."""
    require("basedpyright")
    folder = tmp_path_factory.mktemp("program")
    uri = (folder / "program.py").as_uri()
    found = {}
    with server(folder) as asked:
        text = {"uri": uri, "languageId": "python", "version": 1, "text": "\n".join(LINES)}
        asked.notify("textDocument/didOpen", textDocument=text)
        for line, expression in enumerate(LINES):
            at = {"line": line, "character": len(expression) - 1}
            places = asked.request(
                "textDocument/definition", textDocument={"uri": uri}, position=at
            )
            found[expression] = [each["uri"] for each in places or []]
    return found


@pytest.mark.whole
@pytest.mark.parametrize("expression", DEFINED)
def test_a_language_server_finds_the_source(definitions, expression):
    assert definitions[expression] == [(ROOT / DEFINED[expression]).as_uri()]
