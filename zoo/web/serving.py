"""Applications that listen: who may reach them, and running them until something ends them."""

from __future__ import annotations

import secrets
import webbrowser
from typing import TYPE_CHECKING

from weights_cache.common.messages import say
from zoo.web.listening import (
    address_of,
    check_certificate,
    hosts_of,
    is_any,
    is_local,
    listening_socket,
)
from zoo.web.packages import not_installed
from zoo.web.running_server import RunningServer, keep
from zoo.web.security import Application, Guard
from zoo.web.server_options import AccessOptions, ServerOptions, checked, invalid_token

try:
    from zoo.web.cross_origin import CrossOrigin
    from zoo.web.protocols import Server, server_config
    from zoo.web.proxies import Forwarded, Rooted
except ImportError as error:
    raise not_installed("servers need", error) from error

if TYPE_CHECKING:
    from zoo.web.quotas import Limits


class Serving:
    """An application that listens; one of the methods runs it.

    Args:
        application: what answers, without checks.
        title: of it.
        limits: of what it is sent.
        options: where it listens, and who may use it.
        open_browser: open its address in the user's browser when it runs.
        as_json: refusals are JSON.

    Attributes:
        address: to open in a browser.

    Raises:
        ZooError: an option is unknown, invalid or cannot be used, such as an address in use.
    """

    def __init__(
        self,
        application: Application,
        title: str,
        limits: Limits,
        options: ServerOptions,
        *,
        open_browser: bool = False,
        as_json: bool = False,
    ):
        options = checked("run", options, ServerOptions)
        self._title, self._options, self._open_browser = title, options, open_browser
        host, certificate = options["host"], options["certificate"]
        options["token"] = token = _token(options)
        if certificate is not None:
            check_certificate(certificate)
        listener = listening_socket(host, options["port"], limits.connections)
        port, scheme = listener.getsockname()[1], "https" if certificate else "http"
        hosts = hosts_of(host, port, scheme)
        guarded = protected(application, hosts, options, any_address=is_any(host), as_json=as_json)
        reached = _as_proxies_reach_it(guarded, options)
        self._listener = listener
        self._server = Server(server_config(reached, listener, limits, certificate))
        self.address = address_of(host, port, scheme, token, options["root_path"])

    def run(self) -> None:
        """Serve until interrupted, by Ctrl+C."""
        self._announce("Ctrl+C ends it")
        self._server.run(sockets=[self._listener])

    async def run_async(self) -> None:
        """Serve in the running event loop until cancelled."""
        self._announce("cancelling its task ends it")
        await self._server.serve_until_cancelled(self._listener)

    def start(self) -> RunningServer:
        """Serve from a thread, and return what stops it."""
        running = RunningServer(self._title, self.address, self._server, self._listener)
        keep(running, self._options["port"])
        self._announce("its stop() ends it")
        return running

    def _announce(self, ending: str) -> None:
        say(f"{self._title}: {self.address} ({ending})")
        is_encrypted = self._options["certificate"] or self._options["proxies"]
        if not is_local(self._options["host"]) and not is_encrypted:
            say(
                "Warning: images travel unencrypted, and browsers give no camera to pages of other "
                "computers without https: give --certificate CERT.pem KEY.pem"
            )
        if self._open_browser:
            webbrowser.open(self.address)


def _token(options: ServerOptions) -> str:
    """Return the token of a server: a random one where others reach it, also by a proxy."""
    token, is_here = options["token"], is_local(options["host"])
    if token is None:
        is_reached = not is_here or options["allow_hosts"] or options["proxies"]
        return secrets.token_urlsafe(16) if is_reached else ""
    if not token and not is_here:
        raise invalid_token()
    return token


def protected(
    application: Application,
    hosts: frozenset[str] | None,
    options: AccessOptions,
    *,
    any_address: bool = False,
    as_json: bool = False,
) -> Application:
    """Return an application behind the checks of `Guard`.

    Args:
        application: what answers.
        hosts: see `Guard`.
        options: who may use it, in their usual form.
        any_address: see `Guard`.
        as_json: refusals are JSON.
    """
    origins = options["allow_origins"]
    guard = Guard(
        application,
        hosts,
        options["token"] or "",
        allow_hosts=options["allow_hosts"],
        allow_origins=origins,
        any_address=any_address,
        as_json=as_json,
    )
    return CrossOrigin(guard, origins) if origins else guard


def _as_proxies_reach_it(application: Application, options: ServerOptions) -> Application:
    """Return an application for the requests that proxies send."""
    root_path, proxies = options["root_path"], options["proxies"]
    rooted = Rooted(application, root_path) if root_path else application
    return Forwarded(rooted, proxies) if proxies else rooted
