"""Options of servers: one record for Python and the command line, with what is valid."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from inspect import Parameter, signature
from ipaddress import ip_network
from types import NoneType
from typing import Annotated, Any, NamedTuple, TypedDict, TypeVar, cast, get_args, get_type_hints

from weights_cache.common.errors import ZooError
from zoo.pipeline.options import unknown_option

Options = TypeVar("Options", bound=Mapping[str, Any])
Function = TypeVar("Function", bound=Callable[..., object])

#: The address at which servers listen by default, which other computers do not reach.
HOST, PORT = "127.0.0.1", 8000

#: Texts that may be tokens: those that addresses hold as they are.
_TOKEN = re.compile(r"[A-Za-z0-9_.~-]{8,200}")

#: Names that name servers know: letters of other alphabets travel as "xn--..".
_NAME = re.compile(r"(\*\.)?[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?|\[[0-9a-f:.]+\]")

#: A scheme, a name or an address, and a port where it is not the scheme's own.
_ORIGIN = re.compile(r"(https?|chrome-extension|moz-extension)://[a-z0-9_.\[\]:-]+")

#: Ports of schemes, which browsers leave out.
_OWN_PORTS = {"http": ":80", "https": ":443"}

_ROOT_PATH = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)*")


def invalid_token() -> ZooError:
    """Return the error of a text that cannot be a token."""
    return ZooError(
        "the token must be 8 to 200 of the characters A-Z, a-z, 0-9, '-', '_', '.' and '~', "
        "which addresses may have; leave it out for a random one"
    )


def _token(text: str) -> str:
    if text and not _TOKEN.fullmatch(text):
        raise invalid_token()
    return text


def _host(name: str) -> str:
    if not _NAME.fullmatch(name.lower()):
        raise ZooError(
            f"allow_hosts: {name!r:.80} must be a name without scheme, port and path, such as "
            "vision.example.com, or *.example.com for all names below it (--allow-host)"
        )
    return name.lower()


def _origin(text: str) -> str:
    found = text.lower().removesuffix("/")
    if not _ORIGIN.fullmatch(found):
        raise ZooError(
            f"allow_origins: {text!r:.80} must be the scheme, name and port of a page, such as "
            "https://example.com or http://localhost:3000 (--allow-origin)"
        )
    scheme, _, place = found.partition("://")
    return f"{scheme}://{place.removesuffix(_OWN_PORTS.get(scheme, ''))}"


def _proxy(text: str) -> str:
    try:
        return str(ip_network(text))
    except ValueError as error:
        raise ZooError(
            f"proxies: {text!r:.80} is not the address or network of a proxy ({error}): give "
            "such as 127.0.0.1 or 172.16.0.0/12 (--proxy)"
        ) from None


def _root_path(path: str) -> str:
    found = path.removesuffix("/")
    if not _ROOT_PATH.fullmatch(found):
        raise ZooError(
            f"root_path={path!r:.80} must begin with '/', and have letters, digits and '._~-', "
            "such as /zoo (--root-path)"
        )
    return found


class Argument(NamedTuple):
    """An option: its default, as the command line shows it, and what is valid."""

    default: str | int | Sequence[str] | None
    flag: str
    metavar: str | tuple[str, str]
    meaning: str
    check: Callable[[str], str] | None = None  # of each text: returns its usual form


class AccessOptions(TypedDict, total=False):
    """Options of a server: programs and pages that may use it."""

    token: Annotated[
        str | None,
        Argument(
            None,
            "--token",
            "TEXT",
            "text that requests must have (default: a random one where others reach the server)",
            _token,
        ),
    ]
    allow_hosts: Annotated[
        Sequence[str],
        Argument(
            (),
            "--allow-host",
            "NAME",
            "another name by which browsers reach the server, such as that of a proxy, or "
            "'*.example.com'; may be repeated",
            _host,
        ),
    ]
    allow_origins: Annotated[
        Sequence[str],
        Argument(
            (),
            "--allow-origin",
            "ORIGIN",
            "pages elsewhere that may use the server, such as http://localhost:3000; may be "
            "repeated",
            _origin,
        ),
    ]


class DeploymentOptions(AccessOptions, total=False):
    """Options of a server: also the way on which requests arrive."""

    certificate: Annotated[
        tuple[str, str] | None,
        Argument(
            None,
            "--certificate",
            ("CERT", "KEY"),
            "files of a TLS certificate and its key, in PEM; cameras need https elsewhere",
        ),
    ]
    root_path: Annotated[
        str,
        Argument(
            "",
            "--root-path",
            "PATH",
            "path at which a proxy offers the server, such as /zoo",
            _root_path,
        ),
    ]
    proxies: Annotated[
        Sequence[str],
        Argument(
            (),
            "--proxy",
            "ADDRESS",
            "address or network of a proxy whose headers X-Forwarded-For, -Proto and -Host are "
            "believed; may be repeated",
            _proxy,
        ),
    ]


class ServerOptions(DeploymentOptions, total=False):
    """Options of a server: also the address at which it listens."""

    host: Annotated[
        str,
        Argument(
            HOST,
            "--host",
            "HOST",
            "address to listen at (default: 127.0.0.1, which other computers do not reach)",
        ),
    ]
    port: Annotated[
        int, Argument(PORT, "--port", "PORT", "port, or 0 for any that is free (default: 8000)")
    ]


@cache
def declared() -> dict[str, tuple[object, Argument]]:
    """Return each option, and its type.

    >>> kind, argument = declared()["port"]
    >>> kind, argument.flag
    (<class 'int'>, '--port')
    """
    hints = get_type_hints(ServerOptions, include_extras=True)
    return {name: (hint.__origin__, hint.__metadata__[0]) for name, hint in hints.items()}


def checked(caller: str, options: Options, known: type) -> Options:
    """Return all options in their usual form; files of certificates are read where they are used.

    Args:
        caller: the function that they were given to.
        options: by name; the others have their defaults.
        known: the record of those that the function has.

    Raises:
        ZooError: one is unknown, or invalid.

    >>> checked("asgi", {"allow_hosts": ["Vision.example.com"]}, AccessOptions)
    {'token': None, 'allow_hosts': ('vision.example.com',), 'allow_origins': ()}
    """
    names = known.__annotations__
    unknown = options.keys() - names.keys()
    if unknown:
        raise unknown_option(caller, unknown, names)
    return cast(Options, {name: _checked(name, options) for name in names})


def _checked(name: str, options: Mapping[str, Any]) -> Any:
    kind, argument = declared()[name]
    value = options.get(name, argument.default)
    may_be_none = NoneType in get_args(kind)
    if argument.check is None or (value is None and may_be_none):
        return value
    if kind is str or may_be_none:
        return argument.check(_text(name, value))
    if isinstance(value, str) or not isinstance(value, Sequence):  # a text is a sequence, too
        raise ZooError(f"{name}={value!r:.80} must be a list of texts, such as [{value!r:.80}]")
    return tuple(argument.check(_text(name, each)) for each in value)


def _text(name: str, value: object) -> str:
    if not isinstance(value, str):
        raise ZooError(f"{name}: {value!r:.80} must be a text")
    return value


def shows(known: type) -> Callable[[Function], Function]:
    """Show the options of a record, in the place of ``**options``, in the help of a function."""

    def show(function: Function) -> Function:
        found = signature(function)
        own = [each for each in found.parameters.values() if each.kind != Parameter.VAR_KEYWORD]
        options = [
            Parameter(name, Parameter.KEYWORD_ONLY, default=declared()[name][1].default)
            for name in known.__annotations__
        ]
        vars(function)["__signature__"] = found.replace(parameters=[*own, *options])
        return function

    return show
