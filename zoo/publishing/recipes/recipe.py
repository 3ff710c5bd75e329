"""A model in a page: its networks, the numbers of its decoder, and its script."""

from collections.abc import Mapping
from typing import NamedTuple

from zoo.pipeline.model import Model
from zoo.shared.skeletons import Skeleton

#: A value of JSON.
Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]


class NetworkUse(NamedTuple):
    """A network, for images brought to one size."""

    model: Model
    size: tuple[int, int]  # height and width


class Recipe(NamedTuple):
    """A model in a page.

    Attributes:
        script: the file of `zoo/publishing/scripts` that has its class.
        class_name: name of the class.
        element: name of the tag.
        networks: the networks by the names of their functions.
        decode: the numbers that the class needs, beside the defaults of the options.
        verbs: functions of the model whose options the class takes.
        left_out: options of these that it does not take.
        skeleton: the keypoints and the lines between them.
        labels: names of the classes.
    """

    script: str
    class_name: str
    element: str
    networks: Mapping[str, NetworkUse]
    verbs: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    decode: Mapping[str, Json] = {}
    skeleton: Skeleton | None = None
    labels: tuple[str, ...] = ()
