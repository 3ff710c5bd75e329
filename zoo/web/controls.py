"""Controls of a page: sliders, selects, switches and buttons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from sys import float_info
from typing import Any, Literal, NamedTuple

from weights_cache.common.errors import ZooError
from zoo.catalog.option import Option
from zoo.pipeline.options import checked_value

#: Types of the values of controls.
ControlValue = bool | int | float | str | None


class Control(NamedTuple):
    """One control of a page; made by `slider`, `select`, `switch` and `button`."""

    kind: Literal["slider", "select", "switch", "button"]
    option: Option  # name, valid values, default, and the label as its meaning
    step: float = 0.0  # of sliders; 0.0 for any value
    key: str = ""  # which presses a button, in the browser's names, such as "Enter" or "c"

    @property
    def name(self) -> str:
        """The name of the argument, or of the message that a button sends."""
        return self.option.name

    def checked(self, value: object) -> ControlValue:
        """Return a value that a page sent.

        Raises:
            ZooError: the value is invalid.
        """
        if self.kind == "button":
            raise ZooError(f"{self.name!r} is a button: it has no value")
        found: ControlValue = checked_value(self.option, value)
        return found

    def described(self) -> dict[str, Any]:
        """Return the description with which the page draws it."""
        more = {"kind": self.kind, "step": self.step, "key": self.key}
        return self.option.as_dict() | {k: v for k, v in more.items() if v}


def slider(
    name: str, low: float, high: float, default: float, label: str = "", step: float = 0.0
) -> Control:
    """A number within limits; an integer where limits, default and step are.

    Args:
        name: of the argument with which functions get the value.
        low: the least value.
        high: the greatest value.
        default: the value of a new page.
        label: beside it; by default the name.
        step: between values; 0 for any value.

    Raises:
        ZooError: the name is not one of Python, the numbers are not finite, or the default lies
            outside the limits.

    >>> slider("max_people", 1, 6, 3, "People", step=1).checked(2.0)
    Traceback (most recent call last):
    zoo.ZooError: max_people=2.0 must be an integer between 1 and 6; leave it out for 3
    """
    numbers = (low, high, default, step)
    if not all(_is_finite(number) for number in numbers):
        raise ZooError(
            f"slider {name!r}: low={low!r:.80}, high={high!r:.80}, default={default!r:.80} and "
            f"step={step!r:.80} must be finite numbers"
        )
    if not low <= default <= high or low == high or step < 0:
        raise ZooError(
            f"slider {name!r}: the default {default} must lie between {low} and {high}, which "
            "differ, and the step must be 0 or more"
        )
    kind = "integer" if step and all(float(n).is_integer() for n in numbers) else "number"
    return Control("slider", _option(name, kind, label, default, low=low, high=high), step)


def select(
    name: str, choices: Sequence[str], default: str | None = None, label: str = ""
) -> Control:
    """One of several texts; the first one by default.

    Args:
        name: of the argument with which functions get the value.
        choices: the texts, in the order in which the page shows them.
        default: the text of a new page.
        label: beside it; by default the name.

    Raises:
        ZooError: the name is not one of Python, the choices are not texts, or the default is not
            among them.

    >>> select("colour", ["red", "blue"]).checked("green")
    Traceback (most recent call last):
    zoo.ZooError: colour='green' must be one of ['red', 'blue']; leave it out for red
    """
    if isinstance(choices, str) or not choices or not all(isinstance(c, str) for c in choices):
        raise ZooError(
            f"select {name!r}: choices={choices!r:.80} must be a list of texts, such as "
            '["red", "blue"]'
        )
    default = choices[0] if default is None else default
    if default not in choices:
        raise ZooError(f"select {name!r}: the default {default!r} is not one of {list(choices)}")
    return Control("select", _option(name, "choice", label, default, choices=tuple(choices)))


def switch(name: str, default: bool = False, label: str = "") -> Control:
    """On or off.

    Args:
        name: of the argument with which functions get the value.
        default: the value of a new page.
        label: beside it; by default the name.

    Raises:
        ZooError: the name is not one of Python, or the default is not True or False.

    >>> switch("sound").checked("on")
    Traceback (most recent call last):
    zoo.ZooError: sound='on' must be True or False
    """
    if not isinstance(default, bool):
        raise ZooError(f"switch {name!r}: the default {default!r} must be True or False")
    return Control("switch", _option(name, "flag", label, default))


def button(name: str, label: str = "", key: str = "") -> Control:
    """A button, which calls the function of `App.on` with its name.

    Args:
        name: of the message that it sends.
        label: on the button; by default the name.
        key: presses it, too, in the browser's names, such as ``"Enter"`` or ``"c"``.

    Raises:
        ZooError: the name is not one of Python.
    """
    return Control("button", _option(name, "button", label, None), key=key)


def _is_finite(number: object) -> bool:
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return False
    return abs(number) <= float_info.max


def _option(name: str, kind: str, label: str, default: ControlValue, **more: Any) -> Option:
    if not isinstance(name, str) or not name.isidentifier():
        raise ZooError(f"{name!r} cannot name a control: it must be a name of Python")
    return Option(name, kind, label or name.replace("_", " "), default, **more)


def by_name(controls: Sequence[Control]) -> Mapping[str, Control]:
    """Return controls by their names, each of which may be used once."""
    found: dict[str, Control] = {}
    for control in controls:
        if not isinstance(control, Control):
            raise ZooError(
                f"{control!r:.80} is no control of slider(..), select(..), switch(..) or button(..)"
            )
        if control.name in found:
            raise ZooError(f"two controls have the name {control.name!r}: rename one")
        found[control.name] = control
    return found
