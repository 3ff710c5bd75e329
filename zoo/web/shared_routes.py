"""Routes that the servers of pages and of REST have in common."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
)
from starlette.routing import BaseRoute, Route

from zoo.web.figures import Figures
from zoo.web.page import TYPES, asset
from zoo.web.turns import Turns

if TYPE_CHECKING:
    from pathlib import Path

    Answer = Callable[[], dict[str, Any]]


def shared_routes(page: str, settings: Answer, health: Answer, figures: Figures) -> list[BaseRoute]:
    """Return the routes that every server has.

    Args:
        page: HTML of its page.
        settings: what the page's script needs.
        health: says more than that the server answers.
        figures: of it.
    """

    async def show_page(_: Request) -> Response:
        return HTMLResponse(page)

    async def show_settings(_: Request) -> Response:
        return JSONResponse(settings())

    async def send_asset(request: Request) -> Response:
        return file_answer(asset(request.path_params["name"]))

    async def show_health(_: Request) -> Response:
        return JSONResponse({"status": "ok", **health()})

    async def show_figures(_: Request) -> Response:
        return PlainTextResponse(figures.text(), media_type="text/plain; version=0.0.4")

    return [
        Route("/", show_page),
        Route("/settings", show_settings),
        Route("/assets/{name}", send_asset),
        Route("/healthz", show_health),
        Route("/metrics", show_figures),
    ]


def file_answer(path: Path | None) -> Response:
    """Return the answer with a file, if there is one.

    Raises:
        HTTPException: the file is missing.
    """
    if path is None:
        raise HTTPException(404, "there is no such file")
    return FileResponse(path, media_type=TYPES[path.suffix])


@asynccontextmanager
async def working(turns: Turns) -> AsyncIterator[None]:
    """Let models run, if requests come, until the block ends."""
    yield
    turns.close()
