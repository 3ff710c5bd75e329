"""The server of REST: an address for each function, its description, health and figures."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from pkgutil import resolve_name
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse

from zoo.web.figures import Figures
from zoo.web.limits import Limits
from zoo.web.page import ASSETS
from zoo.web.rest import rest_routes
from zoo.web.serving import run_server
from zoo.web.turns import Turns

if TYPE_CHECKING:
    from collections.abc import AsyncIterator


def rest_application(backend: str | None = None, limits: Limits | None = None) -> FastAPI:
    """Return the ASGI application, without the checks of `zoo.web.guards.Guard`."""
    limits, figures, turns = limits or Limits(), Figures(), Turns()

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        working = asyncio.create_task(turns.run())
        yield
        working.cancel()
        turns.close()

    web = FastAPI(
        title="Zoo",
        description="An image in, what it shows out. The answers are those of the functions of "
        "`zoo`, as JSON; masks are PNG files in base64.",
        version=resolve_name("zoo:__version__"),
        docs_url=None,  # its page loads scripts from elsewhere
        redoc_url=None,
        lifespan=lifespan,
    )
    web.include_router(rest_routes(turns, limits, figures, backend))

    @web.get("/", include_in_schema=False)
    async def page() -> HTMLResponse:
        return HTMLResponse((ASSETS / "rest.html").read_text(encoding="utf-8"))

    @web.get("/assets/{name}", include_in_schema=False)
    async def asset(name: str) -> FileResponse:
        if name not in ("rest.js", "zoo.css"):
            raise HTTPException(404, "there is no such file")
        return FileResponse(ASSETS / name)

    @web.get("/healthz", include_in_schema=False)
    async def health() -> JSONResponse:
        return JSONResponse({"status": "ok"})

    @web.get("/metrics", include_in_schema=False)
    async def show_figures() -> PlainTextResponse:
        return PlainTextResponse(figures.text(), media_type="text/plain; version=0.0.4")

    @web.exception_handler(HTTPException)
    async def in_words(_: Request, error: HTTPException) -> JSONResponse:
        return JSONResponse({"error": error.detail}, error.status_code)

    @web.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        name, value = first["loc"][-1], first.get("input")
        return JSONResponse({"error": f"{name}={value!r:.80}: {first['msg']}"}, 422)

    return web


def serve_rest(
    *,
    host: str,
    port: int,
    token: str | None,
    certificate: tuple[str, str] | None,
    backend: str | None,
) -> None:
    """Answer requests until interrupted; see `zoo.web.serving.run_server`."""
    limits = Limits()
    application = rest_application(backend, limits)
    run_server(application, "Zoo", host, port, token, certificate, limits)
