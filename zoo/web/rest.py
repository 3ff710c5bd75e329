"""REST: ``POST /v1/<verb>`` with an image gives what the verb of `zoo` returns, as JSON."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from time import perf_counter
from typing import Any

from weights_cache.common.errors import MissingError, WeightsError, ZooError
from zoo.export.json_text import to_json
from zoo.web.figures import Figures
from zoo.web.packages import not_installed
from zoo.web.rest_options import described_options, given_options, served_verbs
from zoo.web.sent_pixels import read_sent_image
from zoo.web.turns import Turns

try:
    from fastapi import APIRouter, Request, Response
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect

    from zoo.web.rest_requests import GONE, RestLimits, Row, body_of, unless_gone
    from zoo.web.result_schemas import ERROR, schema_of
except ImportError as error:
    raise not_installed("REST needs", error) from error

_REFUSALS = {
    401: "the token is missing or wrong",
    408: "the image was sent too slowly",
    413: "the image has too many bytes",
    415: "the body has a type that is not an image's",
    422: "the image cannot be read, or an option is unknown or invalid",
    500: "an error of the server",
    503: "the weights of the model are missing, or too many requests wait",
}


class Rest:
    """The addresses of the verbs, whose requests share one thread for models."""

    def __init__(self, turns: Turns, limits: RestLimits, figures: Figures, backend: str | None):
        self._turns, self._limits, self._figures = turns, limits, figures
        self._backend, self.row = backend, Row(limits.requests)

    def routes(self) -> APIRouter:
        """Return an address for each verb."""
        router = APIRouter(prefix="/v1")
        for verb in served_verbs():
            router.add_api_route(
                f"/{verb}",
                self._endpoint(verb),
                methods=["POST"],
                response_class=Response,
                operation_id=verb,
                summary=_document(verb).partition("\n")[0],
                responses=_answers(verb),
                openapi_extra={
                    "parameters": described_options(verb),
                    "requestBody": self._described_body(),
                },
            )
        return router

    def _described_body(self) -> dict[str, Any]:
        most = f"{self._limits.image_bytes:,} bytes, {self._limits.image_pixels:,} pixels"
        binary = {"schema": {"type": "string", "format": "binary"}}
        return {
            "required": True,
            "description": f"an encoded image: JPEG, PNG, WebP, .. of at most {most}",
            "content": {"image/*": binary, "application/octet-stream": binary},
        }

    def _endpoint(self, verb: str) -> Callable[..., Any]:
        async def answer(request: Request) -> Response:
            begun, status = perf_counter(), 500
            try:
                text = await self._answer(verb, request)
                status = 200
                return Response(text, media_type="application/json")
            except ClientDisconnect:
                status = GONE
                return Response(status_code=status)
            except (HTTPException, ZooError) as error:
                failure = error if isinstance(error, HTTPException) else _failure(error)
                status = failure.status_code
                raise failure from None
            finally:
                self._figures.count("zoo_requests_total", verb=verb, status=str(status))
                self._figures.take("zoo_request_seconds", perf_counter() - begun, verb=verb)

        return answer

    async def _answer(self, verb: str, request: Request) -> str:
        options = given_options(verb, request.query_params.multi_items())
        with self.row.slot():
            body = await body_of(request, self._limits)
            work = self._turns.call(lambda: self._found(verb, body, options))
            return await unless_gone(request, work)

    def _found(self, verb: str, body: bytes, options: Mapping[str, Any]) -> str:
        image = read_sent_image(body, self._limits.image_pixels)
        return to_json(_function(verb)(image, backend=self._backend, **options))


def _function(verb: str) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(import_module("zoo"), verb)
    return found


def _failure(error: ZooError) -> HTTPException:
    is_missing = isinstance(error, (MissingError, WeightsError))
    return HTTPException(503 if is_missing else 422, str(error))


def _document(verb: str) -> str:
    return inspect.getdoc(_function(verb)) or ""


def _answers(verb: str) -> dict[int | str, dict[str, Any]]:
    """Return the answers of a verb as OpenAPI describes them."""
    schema = schema_of(verb)
    answers: dict[int | str, dict[str, Any]] = {
        status: {"description": meaning, "content": {"application/json": {"schema": ERROR}}}
        for status, meaning in _REFUSALS.items()
    }
    return {
        200: {
            "description": _returned(verb),
            "content": {"application/json": {"schema": schema}},
        },
        **answers,
    }


def _returned(verb: str) -> str:
    """Return the description of a verb's result for one image, from its docstring."""
    section = _document(verb).partition("\nReturns:\n")[2].partition("\n\n")[0]
    words = " ".join(section.replace("``", "`").split())
    return words.partition("A list of images")[0].strip()
