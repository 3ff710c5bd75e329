"""The server of REST: an address for each function, its description, health and figures."""

from __future__ import annotations

import json
from html import escape
from pkgutil import resolve_name
from string import Template
from typing import Any

from fastapi import FastAPI, Request
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from weights_cache.common.similar_names import did_you_mean
from zoo.web.figures import Figures
from zoo.web.page import ASSETS
from zoo.web.rest import Rest
from zoo.web.rest_options import served_verbs
from zoo.web.rest_requests import RestLimits, curl
from zoo.web.security import own_path
from zoo.web.server_options import ServerOptions
from zoo.web.serving import Serving
from zoo.web.shared_routes import shared_routes, working
from zoo.web.turns import Turns

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
        """Return the ASGI application, without the checks of `zoo.web.security.Guard`."""
        web = FastAPI(
            title="Zoo",
            description=_ABOUT,
            version=resolve_name("zoo:__version__"),
            docs_url=None,  # its page loads scripts from elsewhere
            redoc_url=None,
            lifespan=lambda _: working(self.turns),
            routes=shared_routes(_page(), _settings, self._health, self.figures),
        )
        web.include_router(self.rest.routes())
        web.add_exception_handler(HTTPException, _refuse)
        web.add_exception_handler(Exception, _fail)
        return web

    def _health(self) -> dict[str, Any]:
        return {"requests": self.rest.row.length, "arriving": self.rest.arriving.length}


def _page() -> str:
    texts = {name: escape(text) for name, text in _texts().items()}
    page = (ASSETS / "rest.html").read_text(encoding="utf-8")
    return Template(page).substitute(texts)


def _settings() -> dict[str, Any]:
    return {"texts": _texts()}


def _texts() -> dict[str, str]:
    found: dict[str, str] = json.loads((ASSETS / "rest_texts.json").read_text(encoding="utf-8"))
    return found


async def _refuse(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    message = _better(request, error.status_code) or error.detail
    return JSONResponse({"error": message}, error.status_code, error.headers)


def _better(request: Request, status: int) -> str:
    """Return the error for an unknown address, or for another method."""
    path, verbs = own_path(request.scope), served_verbs()
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
    """Answer an unexpected error; Starlette raises it again, and uvicorn prints it to stderr."""
    message = f"the server failed ({type(error).__name__}): its terminal says where"
    return JSONResponse({"error": message}, 500)


def serving_of_rest(backend: str | None, options: ServerOptions) -> Serving:
    """Return a server of REST that listens.

    Args:
        backend: where models run.
        options: where it listens, and who may use it.

    Raises:
        ZooError: as `Serving` raises.
    """
    server = RestServer(backend)
    return Serving(server.application(), "Zoo", server.limits, options, as_json=True)
