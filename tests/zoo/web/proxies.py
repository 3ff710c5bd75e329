"""nginx and Caddy before a server, as ``zoo/docs/web.md`` sets them up."""

from __future__ import annotations

import os
import re
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from http.client import HTTPSConnection
from pathlib import Path

import pytest

from tests.helpers import ROOT, eventually
from tests.zoo.web.rest_servers import Answer
from tests.zoo.web.servers import PATIENCE

#: The name of the server in the page of documentation.
NAME = "vision.example.com"

_CERTIFICATE = ROOT / "tests" / "weights_cache" / "localhost.pem"  # and its key

#: What nginx needs beside the block of the page, in a folder of its own.
_NGINX = """
{user}
daemon off;
pid {folder}/nginx.pid;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    {block}
}}
"""

#: Caddy signs the certificate itself, and listens at one port alone.
_CADDY = """
{{
    admin off
    auto_https disable_redirects
    local_certs
    skip_install_trust
}}
{block}
"""


@dataclass
class Proxy:
    """A proxy that listens, whoever signed its certificate."""

    port: int

    @property
    def host(self) -> str:
        return f"{NAME}:{self.port}"

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        """The answer to a request; ``content_type`` is a header, too."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        with closing(socket.create_connection(("127.0.0.1", self.port), PATIENCE)) as plain:
            connection = HTTPSConnection(self.host, timeout=PATIENCE)
            connection.sock = context.wrap_socket(plain, server_hostname=NAME)
            with closing(connection):
                named = {name.replace("_", "-"): value for name, value in headers.items()}
                connection.request(method, path, body, named)
                found = connection.getresponse()
                return Answer(found.status, found.headers, found.read().decode())


@contextmanager
def proxy_before(kind: str, server_port: int, folder: Path) -> Iterator[Proxy]:
    """A proxy with the configuration of the page, until the block ends.

    Args:
        kind: "nginx" or "caddy".
        server_port: where the server listens.
        folder: for its files.
    """
    program = shutil.which(kind, path=f"{os.environ['PATH']}:/usr/sbin")
    if program is None:
        pytest.skip(f"no {kind} (Debian's package {kind})")
    port = _free_port()
    block = _block(kind).replace("127.0.0.1:8000", f"127.0.0.1:{server_port}")
    command = {"nginx": _nginx, "caddy": _caddy}[kind](block, port, folder)
    own = {name: str(folder) for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME")}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen([program, *command], env={**os.environ, **own}, stderr=log)
        try:
            found = Proxy(port)
            eventually(lambda: process.poll() is not None or _answers(found), kind)
            assert process.poll() is None, (folder / "log").read_text()
            yield found
        finally:
            process.terminate()
            process.wait(PATIENCE)


def _block(kind: str) -> str:
    page = (ROOT / "zoo" / "docs" / "web.md").read_text(encoding="utf-8")
    (block,) = re.findall(rf"<!-- {kind} -->\n```\n(.*?)```", page, re.DOTALL)
    return str(block)


def _nginx(block: str, port: int, folder: Path) -> list[str]:
    block = block.replace("listen 443", f"listen 127.0.0.1:{port}")
    block = re.sub(r"/etc/ssl/vision\.(pem|key)", str(_CERTIFICATE), block)
    # Started by root, nginx would give its requests to a user who cannot read the folder.
    user = "user root;" if hasattr(os, "geteuid") and os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(_NGINX.format(user=user, folder=folder, block=block))
    return ["-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", "stderr"]


def _caddy(block: str, port: int, folder: Path) -> list[str]:
    block = block.replace(f"{NAME} {{", f"https://{NAME}:{port} {{\n    bind 127.0.0.1")
    (folder / "Caddyfile").write_text(_CADDY.format(block=block))
    return ["run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]


def _free_port() -> int:
    with closing(socket.create_server(("127.0.0.1", 0))) as found:
        return int(found.getsockname()[1])


def _answers(proxy: Proxy) -> bool:
    with suppress(OSError):
        return proxy.ask("GET", "/zoo/healthz").status == 200
    return False
