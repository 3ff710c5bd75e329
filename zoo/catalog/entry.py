"""Facts about a pretrained model, without code."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from zoo.catalog.option import Option

#: A number for all channels, or one for each of red, green and blue.
Channels = float | tuple[float, float, float]


class Preprocess(NamedTuple):
    """Conversion of an image to the input of a network, done by `zoo.pipeline.preprocess`.

    A pixel value p in 0..255 becomes ``p / divide - subtract``. What is resized is the whole image:

    - ``fit="letterbox"`` keeps its aspect ratio, in the middle between borders;
    - ``"stretch"`` fills the input;
    - ``"crop"`` takes the square in its middle;
    - ``"pad"`` adds a border on the right or below until it is square.

    Crops of an image are not resized by Pillow but sampled, and ``border`` says what lies outside
    of the image.

    At last channels are brought into the order of the network, and axes into that of its input.
    """

    size: tuple[int, int] | None = None  # height and width of the input; None: the model says
    fit: str = "letterbox"
    divide: Channels = 1.0
    subtract: Channels = 0.0
    dtype: str = "float32"  # or "uint8", "int32": pixels as they are
    # Pillow's BILINEAR on uint8; or of the four nearest pixels alone, however small the result is:
    # "tfjs": resizeBilinear, without corners, "opencv": INTER_LINEAR on uint8.
    resize: str = "pillow"
    level: int = 0  # of the borders of letterbox and pad, 0..255
    border: str = "zero"  # or "replicate": the nearest pixel of the image
    channels: str = "rgb"  # or "bgr"
    axes: str = "nhwc"  # or "nchw": channels before rows and columns


class Entry(NamedTuple):
    """One pretrained model, ``family.variant``: a network and how it is used."""

    name: str
    task: str  # the folder of its verbs
    model: str  # its class in that folder, "module:Class"
    weights: str  # name of its record in weights_cache/registry.json
    preprocess: Preprocess
    output: str  # what `infer` gives
    title: str  # a line of the model card: what it is and whose
    embedding: str = ""  # the node that `infer(embedding=True)` gives: features for other uses
    file: str = ""  # of the record, if it holds several networks; "": its model.json
    head: str = ""  # file of the record with the layers that come after those of ``file``
    outputs: tuple[str, ...] = ()  # nodes that `predict` returns instead of the file's outputs
    network: str = (
        ""  # builder of networks without topology: "module:function" of zoo.catalog.networks
    )
    decode: Any = None  # what the decoder needs to know: a named tuple of the family
    labels: str = ""  # name of a list in zoo/catalog/labels
    parts: Mapping[str, str] = {}  # role -> entry of another network
    options: Mapping[str, Option] = {}  # of loading it
    #: The model's defaults of options of its verbs, by name; by "verb.name" of one verb.
    defaults: Mapping[str, float] = {}
    batch: bool = False  # treats the images of a batch alike, though converted for one
    together: int = 1  # of a list, how many images run as one batch: where measured faster
    limits: str = ""  # of the model card: where it is known to fail
    accuracy: str = ""  # of the model card: what was measured

    def default_of(self, verb: str, option: str) -> float | None:
        """Return the entry's default of a verb's option; None where its detector has one.

        >>> from zoo.catalog.entries import find_entry
        >>> movenet = find_entry("movenet.lightning")
        >>> [movenet.default_of(f"estimate_{verb}", "score_threshold")
        ...  for verb in ("single_pose", "multiple_poses")]
        [0.4, 0.25]
        """
        return self.defaults_of(verb).get(option)

    def defaults_of(self, verb: str) -> dict[str, float]:
        """Return the entry's defaults of a verb's options, by name."""
        found: dict[str, float] = {}
        for name, value in self.defaults.items():
            of_verb, _, option = name.rpartition(".")
            if of_verb == verb or (not of_verb and option not in found):
                found[option] = value
        return found

    @property
    def files(self) -> tuple[str, ...] | None:
        """The files of the record that its network is made of; None: all."""
        return tuple(filter(None, (self.file, self.head))) or None
