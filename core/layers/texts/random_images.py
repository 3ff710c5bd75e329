"""Documentation of layers that change images at random in training."""

_SUMMARIES = {
    "RandomBrightness": "Change the brightness of images, each by an amount of its own",
    "RandomColorJitter": "Change brightness, contrast, saturation and hue of images",
    "RandomContrast": "Change the contrast of images, each by a factor of its own",
    "RandomErasing": "Erase a rectangle of each image",
    "RandomFlip": "Turn over images, left to right or upside down",
    "RandomHue": "Shift the colours of images along the circle of hues",
    "RandomRotation": "Turn images about their centres, by a factor of a full turn",
    "RandomSaturation": "Change the saturation of images, each by a factor of its own",
    "RandomTranslation": "Move images by factors of their heights and widths",
    "RandomZoom": "Enlarge or shrink images about their centres",
    "RandomHeight": "Stretch images in height, all of a batch by one factor",
    "RandomWidth": "Stretch images in width, all of a batch by one factor",
}

#: Arguments of the examples.
_EXAMPLES = {
    "RandomColorJitter": "brightness_factor=0.2, hue_factor=0.1",
    "RandomErasing": "0.5",
    "RandomFlip": '"horizontal"',
    "RandomTranslation": "0.1, 0.1",
}

_EAGER = "Compiled steps have fixed shapes: compile the model with `run_eagerly=True`."


def _text(name: str) -> str:
    is_stretched = name in ("RandomHeight", "RandomWidth")
    result = "images of another size" if is_stretched else "that shape"
    others = _EAGER if is_stretched else "`core.data.augmentation` has a class of this name, too."
    return f"""
{_SUMMARIES[name]}, in training alone.

Called on `[batch, rows, columns, channels]`, returns {result}; in inference the input as it is.
{others}

>>> import core
>>> layer = core.layers.{name}({_EXAMPLES.get(name, "0.2")}, seed=1)
>>> layer(core.ones((1, 4, 4, 3))).shape
(1, 4, 4, 3)
"""


ABOUT = {name: _text(name) for name in _SUMMARIES}
