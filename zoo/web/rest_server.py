"""The server of REST: an address for each function, its description, health and figures."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from html import escape
from pkgutil import resolve_name
from string import Template
from typing import TYPE_CHECKING

from weights_cache.similar_names import did_you_mean
from zoo.web.figures import Figures
from zoo.web.page import ASSETS, TYPES, asset
from zoo.web.rest import Rest
from zoo.web.rest_options import served_verbs
from zoo.web.rest_requests import RestLimits, curl
from zoo.web.serving import run_server
from zoo.web.turns import Turns

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse

_ABOUT = (
    "An image in, what it shows out. The answers are those of the functions of `zoo`, as JSON; "
    'masks are PNG files in base64. Errors are `{"error": ".."}`.'
)


class RestServer:
    """The routes, and what requests share.

    Args:
        backend: where models run.
        limits: of what requests send.
    """

    def __init__(self, backend: str | None = None, limits: RestLimits | None = None):
        self.limits, self.figures, self.turns = limits or RestLimits(), Figures(), Turns()
        self.rest = Rest(self.turns, self.limits, self.figures, backend)

    def application(self) -> FastAPI:
        """Return the ASGI application, without the checks of `zoo.web.guards.Guard`."""
        web = FastAPI(
            title="Zoo",
            description=_ABOUT,
            version=resolve_name("zoo:__version__"),
            docs_url=None,  # its page loads scripts from elsewhere
            redoc_url=None,
            lifespan=self._lifespan,
        )
        web.include_router(self.rest.routes())
        for path, answer in (
            ("/", self._show_page),
            ("/settings", self._say_settings),
            ("/assets/{name}", self._send_asset),
            ("/healthz", self._say_health),
            ("/metrics", self._say_figures),
        ):
            web.add_api_route(
                path, answer, methods=["GET", "HEAD"], include_in_schema=False, response_model=None
            )
        web.add_exception_handler(HTTPException, _refuse)
        web.add_exception_handler(Exception, _fail)
        return web

    @asynccontextmanager
    async def _lifespan(self, _: FastAPI) -> AsyncIterator[None]:
        working = asyncio.create_task(self.turns.run())
        yield
        working.cancel()
        self.turns.close()

    async def _show_page(self) -> HTMLResponse:
        texts = {name: escape(text) for name, text in _texts().items()}
        page = (ASSETS / "rest.html").read_text(encoding="utf-8")
        return HTMLResponse(Template(page).substitute(texts))

    async def _say_settings(self) -> JSONResponse:
        return JSONResponse({"texts": _texts()})

    async def _send_asset(self, name: str) -> FileResponse:
        path = asset(name)
        if path is None:
            raise HTTPException(404)
        return FileResponse(path, media_type=TYPES[path.suffix])

    async def _say_health(self) -> JSONResponse:
        return JSONResponse({"status": "ok", "requests": self.rest.row.length})

    async def _say_figures(self) -> PlainTextResponse:
        return PlainTextResponse(self.figures.text(), media_type="text/plain; version=0.0.4")


def _texts() -> dict[str, str]:
    found: dict[str, str] = json.loads((ASSETS / "rest_texts.json").read_text(encoding="utf-8"))
    return found


async def _refuse(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    message = _better(request, error.status_code) or error.detail
    return JSONResponse({"error": message}, error.status_code, error.headers)


def _better(request: Request, status: int) -> str:
    """Return what to say of an address that there is not, or of another method."""
    path, verbs = request.url.path, served_verbs()
    name = path.removeprefix("/v1/")
    if status == 405 and name in verbs:
        return f"{path} takes an image, by POST, not {request.method}: {curl(request)}"
    if status == 405:
        return f"{path} is read by GET, not {request.method}"
    if status != 404:
        return ""
    hint = did_you_mean(name, verbs)
    addresses = ", ".join(f"/v1/{verb}" for verb in verbs)
    return f"there is no address {path!r:.80}{hint}; functions: {addresses}; and /openapi.json"


async def _fail(_: Request, error: Exception) -> JSONResponse:
    """Answer what nobody expected; Starlette raises it again, and uvicorn prints it to stderr."""
    message = f"the server failed ({type(error).__name__}): its terminal says where"
    return JSONResponse({"error": message}, 500)


def serve_rest(
    *,
    host: str,
    port: int,
    token: str | None,
    certificate: tuple[str, str] | None,
    backend: str | None,
) -> None:
    """Answer requests until interrupted; see `zoo.web.serving.run_server`."""
    limits = RestLimits()
    application = RestServer(backend, limits).application()
    run_server(application, "Zoo", host, port, token, certificate, limits, as_json=True)
