"""REST: ``POST /v1/<verb>`` with an image gives what the verb of `zoo` returns, as JSON."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from importlib import import_module
from time import perf_counter
from typing import Annotated, Any, Literal

from weights_cache.errors import MissingError, WeightsError, ZooError
from zoo.catalog import choices, is_entry, verb_options
from zoo.export.json_text import to_json
from zoo.images.pixels import ImageError
from zoo.images.reading import read_image
from zoo.option import Option
from zoo.web.figures import Figures
from zoo.web.limits import Limits
from zoo.web.turns import Turns

try:
    from fastapi import APIRouter, HTTPException, Query, Request, Response
except ImportError as error:
    raise ZooError(
        f"REST needs the packages fastapi, uvicorn and websockets ({error}): "
        "pip install 'friendly-zoo[web]'"
    ) from error

#: Types of bodies that are no image themselves, and what to do.
_WRAPPED = ("multipart/form-data", "application/json")


def served_verbs() -> list[str]:
    """Return the functions that have an address.

    >>> "estimate_hands" in served_verbs()
    True
    """
    return [verb for verb in choices() if verb != "infer"]


def rest_routes(turns: Turns, limits: Limits, figures: Figures, backend: str | None) -> APIRouter:
    """Return an address for each verb."""
    router = APIRouter(prefix="/v1")
    for verb in served_verbs():
        function: Callable[..., Any] = getattr(import_module("zoo"), verb)
        router.add_api_route(
            f"/{verb}",
            _endpoint(verb, function, turns, limits, figures, backend),
            methods=["POST"],
            summary=inspect.getdoc(function).partition("\n")[0],  # type: ignore[union-attr]
            openapi_extra={
                "requestBody": {
                    "required": True,
                    "description": "one encoded image: JPEG, PNG, WebP, ..",
                    "content": {"image/*": {"schema": {"type": "string", "format": "binary"}}},
                }
            },
            responses={
                413: {"description": f"more than {limits.image_bytes:,} bytes"},
                422: {"description": "no image, or an option that is invalid"},
                503: {"description": "the weights of the model are missing"},
            },
        )
    return router


def _endpoint(
    verb: str,
    function: Callable[..., Any],
    turns: Turns,
    limits: Limits,
    figures: Figures,
    backend: str | None,
) -> Callable[..., Any]:
    async def answer(request: Request, **given: Any) -> Response:
        begun, status = perf_counter(), 200
        options = {name: value for name, value in given.items() if value is not None}
        try:
            body = await _body(request, limits)
            text = await turns.call(lambda: _answered(function, body, options, backend))
            return Response(text, media_type="application/json")
        except (HTTPException, ZooError) as error:
            failure = error if isinstance(error, HTTPException) else _failure(error)
            status = failure.status_code
            raise failure from None
        finally:
            figures.count("zoo_requests_total", verb=verb, status=str(status))
            figures.take("zoo_request_seconds", perf_counter() - begun, verb=verb)

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    given = inspect.Parameter("request", kind, annotation=Request)
    signature = inspect.Signature([given, *_parameters(verb)])  # which FastAPI describes
    answer.__signature__ = signature  # type: ignore[attr-defined]
    answer.__name__ = verb
    return answer


def _answered(
    function: Callable[..., Any], body: bytes, options: Mapping[str, Any], backend: str | None
) -> str:
    for name in ("model", "hands_model", "detector"):
        # Paths and URLs are for who starts the server, not for who sends images.
        if name in options and not is_entry(options[name]):
            raise ZooError(f"{name}={options[name]!r:.80} is no name of a model of 'zoo models'")
    return to_json(function(read_image(body), backend=backend, **options))


async def _body(request: Request, limits: Limits) -> bytes:
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind in _WRAPPED:
        raise HTTPException(
            415, f"the body must be the image itself, not {kind}: curl --data-binary @photo.jpg"
        )
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > limits.image_bytes:
            raise HTTPException(413, f"the image has more than {limits.image_bytes:,} bytes")
        parts.append(part)
    if not size:
        raise HTTPException(422, "the body is empty: send an image, curl --data-binary @photo.jpg")
    return b"".join(parts)


def _failure(error: ZooError) -> HTTPException:
    if isinstance(error, (MissingError, WeightsError)):
        return HTTPException(503, str(error))
    status = 415 if isinstance(error, ImageError) else 422
    return HTTPException(status, str(error))


def _parameters(verb: str) -> list[inspect.Parameter]:
    options = [*verb_options(verb).values()]
    model = Option("model", "text", "a model of the function", note=choices()[verb].default)
    return [
        inspect.Parameter(
            option.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[_type(option) | None, _query(option)],
        )
        for option in (model, *options)
    ]


def _type(option: Option) -> Any:
    if option.choices:
        return Literal[option.choices]
    return {"number": float, "integer": int, "flag": bool, "names": list[str]}.get(option.type, str)


def _query(option: Option) -> Any:
    default = f" (default: {option.default_text})" if option.default_text else ""
    return Query(description=option.meaning + default, ge=option.low, le=option.high)
