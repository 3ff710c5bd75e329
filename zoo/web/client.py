"""The client of an app: one page that is open in a browser."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from weights_cache.common.errors import ZooError
from weights_cache.common.similar_names import did_you_mean
from zoo.export.json_text import plain_value
from zoo.live.frame import Frame
from zoo.live.session import Session
from zoo.live.watching import session_for
from zoo.pipeline.loaded_model import LoadedModel
from zoo.results.moments import Moment
from zoo.web.controls import Control, ControlValue
from zoo.web.messages import refuse_reserved

#: Sessions of a page: of one task with several options, or of several tasks.
MOST_SESSIONS = 8


class Client:
    """A page that is open in a browser.

    Attributes:
        number: of the page, from 1 on.
        values: what its controls give, by name.
        state: for the app to keep what it likes until the page is closed.
    """

    def __init__(
        self, number: int, controls: Mapping[str, Control], send: Callable[[dict[str, Any]], None]
    ):
        self.number, self._controls, self._send = number, controls, send
        self.values: dict[str, ControlValue] = {
            name: control.option.default
            for name, control in controls.items()
            if control.kind != "button"
        }
        self.state: dict[str, Any] = {}
        self._sessions: dict[tuple[Hashable, ...], Session] = {}

    def set(self, name: object, value: object) -> None:
        """Change the value of a control.

        Raises:
            ZooError: there is no such control, or the value is invalid.
        """
        if not isinstance(name, str) or name not in self.values:
            hint = did_you_mean(name, self.values) if isinstance(name, str) else ""
            raise ZooError(
                f"there is no control {name!r:.80}{hint}; "
                f"controls: {', '.join(self.values) or 'none'}"
            )
        self.values[name] = self._controls[name].checked(value)

    def watch(self, frame: Frame, task: str | LoadedModel = "pose", **options: Any) -> Moment:
        """Return what a frame shows, with ids and events, as `zoo.watch` does.

        There is a session for each task and each set of options, which knows the frames before.

        Args:
            frame: the argument of the function.
            task: as of `zoo.watch`.
            options: of the function of the task.
        """
        named = id(task) if isinstance(task, LoadedModel) else task
        key = (named, *((name, _hashable(options[name])) for name in sorted(options)))
        session = self._sessions.pop(key, None)
        if session is None:
            if len(self._sessions) == MOST_SESSIONS:
                self._sessions.pop(next(iter(self._sessions))).close()
            session = session_for(task, **options)
        self._sessions[key] = session  # the last one used stands last
        return session(frame)

    def send(self, type: str, **content: object) -> None:
        """Send the page a message, from any thread; its script hears it with ``zoo.on(type, ..)``.

        Args:
            type: of the message.
            content: values as of results: numbers, texts, lists, dicts, masks.

        Raises:
            ZooError: the server itself uses that type, or JSON cannot carry the content.
        """
        refuse_reserved(type)
        self._send({"type": type, **content})

    def close(self) -> None:
        """Forget all frames; models stay loaded."""
        for session in self._sessions.values():
            session.close()
        self._sessions.clear()
        self.state.clear()

    def __repr__(self) -> str:
        return f"<page {self.number}>"


def _hashable(value: object) -> Hashable:
    return value if isinstance(value, Hashable) else repr(value)


def json_of(content: dict[str, Any]) -> str:
    """Return a message to a page as JSON; masks as PNG, as `zoo.to_json` writes them.

    Raises:
        ZooError: JSON cannot carry a value.

    >>> json_of({"type": "result", "result": []})
    '{"type": "result", "result": []}'
    """
    try:
        return json.dumps(content, allow_nan=False, default=plain_value)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise ZooError(
            f"JSON cannot carry a value ({error}): numbers, texts, lists, dicts and masks are fine"
        ) from None
