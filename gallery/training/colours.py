"""Random changes of colour, sharpness and content; the strengths are those of the reported run."""

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

from training.rand import uniform

# Shares of images that are changed, and the largest changes at strength 1.
JITTERED_SHARE, GREY_SHARE = 0.8, 0.06
SATURATION, CONTRAST, BRIGHTNESS, TINT, GAMMA = 0.5, 0.45, 0.4, 0.3, 0.3
# Contrast grows around this value, about the mean of photos.
MIDDLE = 0.45
DARKEST = 1e-4

STUDENT_JITTER = 0.5
FOCUS_SHARE, FOCUS_RANGE = 0.5, (-0.9, 1.1)
NOISE_SHARE, NOISE_LIMIT = 0.3, 0.06
# Two rounds of rectangles of random colour; sides as shares of the image's height.
CUT_OUT_SHARES, CUT_OUT_SIDES = (0.2, 0.1), (0.04, 0.22)


class Colours(NamedTuple):
    """Changes of colour ``[n]``: factors (``gains`` ``[n, 3]``) and the exponent ``gamma``."""

    saturation: Tensor
    contrast: Tensor
    gains: Tensor
    gamma: Tensor


def draw_colours(count: int, device: torch.device, strength: float) -> Colours:
    """Draw changes for a batch."""

    def change(limit: float) -> Tensor:
        return jittered * uniform(count, device, -limit * strength, limit * strength)

    jittered = (uniform(count, device) < JITTERED_SHARE).float()
    grey = uniform(count, device) < GREY_SHARE
    saturation = torch.where(grey, 0.0, 1 + change(SATURATION))
    brightness = change(BRIGHTNESS).exp()
    tint = torch.rand(count, 3, device=device) - 0.5
    gains = brightness[:, None] * (jittered[:, None] * tint * TINT * strength).exp()
    return Colours(saturation, change(CONTRAST).exp(), gains, change(GAMMA).exp())


def recolour(images: Tensor, colours: Colours) -> Tensor:
    """Change the colours of images ``[n, 3, h, w]`` in [0, 1]."""
    saturation, contrast, gains, gamma = (
        part.to(images.dtype).view(len(images), -1, 1, 1) for part in colours
    )
    grey = images.mean(1, keepdim=True)
    images = grey + (images - grey) * saturation
    images = (images - MIDDLE) * contrast + MIDDLE
    return (images * gains).clamp(DARKEST, 1).pow(gamma)


class CutOut(NamedTuple):
    """Rectangles, one per image: from the upper left to the lower right corner, and their colours.

    ``corners`` is ``[n, 4]`` (top, bottom, left, right) in pixels, ``colour`` ``[n, 3]`` in [0, 1],
    and ``chosen`` says which images get one.
    """

    corners: Tensor
    chosen: Tensor
    colour: Tensor


class Degradation(NamedTuple):
    """How the student's images are spoilt; ``focus`` > 0 sharpens, < 0 blurs."""

    focus: Tensor
    deviation: Tensor
    cut_outs: list[CutOut]
    noise: Tensor
    colours: Colours


def draw_degradation(
    count: int, size: tuple[int, int], device: torch.device, dtype: torch.dtype
) -> Degradation:
    """Draw for a batch of images of this height and width."""
    return Degradation(
        _amount_for_some(count, device, FOCUS_SHARE, FOCUS_RANGE),
        _amount_for_some(count, device, NOISE_SHARE, (0.0, NOISE_LIMIT)),
        [_draw_cut_out(count, size, device, share) for share in CUT_OUT_SHARES],
        torch.randn(count, *size, 3, device=device, dtype=dtype).permute(0, 3, 1, 2),
        draw_colours(count, device, STUDENT_JITTER),
    )


def _amount_for_some(
    count: int, device: torch.device, share: float, limits: tuple[float, float]
) -> Tensor:
    """Draw an amount per image; zero for all but a share of them."""
    chosen = uniform(count, device) < share
    return torch.where(chosen, uniform(count, device, *limits), 0.0)


def _draw_cut_out(count: int, size: tuple[int, int], device: torch.device, share: float) -> CutOut:
    height, width = (uniform(count, device, *CUT_OUT_SIDES) * size[0] for _ in range(2))
    y, x = (uniform(count, device) * length for length in size)
    corners = [y - height / 2, y + height / 2, x - width / 2, x + width / 2]
    chosen = uniform(count, device) < share
    return CutOut(torch.stack(corners, 1), chosen, torch.rand(count, 3, device=device))


def degrade(images: Tensor, degradation: Degradation) -> Tensor:
    """Return float32 images in [-1, 1] as only the student sees them."""
    images = _change_focus(images.float(), degradation.focus) / 2 + 0.5
    images = recolour(images, degradation.colours)
    images = images + degradation.deviation.view(-1, 1, 1, 1) * degradation.noise
    for cut_out in degradation.cut_outs:
        images = _cut_out(images, cut_out)
    return images.clamp(0, 1) * 2 - 1


def _change_focus(images: Tensor, amount: Tensor) -> Tensor:
    """Sharpen (amount > 0) or blur with the binomial kernel 1 4 6 4 1."""
    kernel = images.new_tensor([1.0, 4.0, 6.0, 4.0, 1.0]) / 16
    kernel = (kernel[:, None] * kernel).expand(3, 1, 5, 5)
    padded = functional.pad(images, (2, 2, 2, 2), mode="replicate")
    blurred = functional.conv2d(padded, kernel, groups=3)
    return images + amount.view(-1, 1, 1, 1) * (images - blurred)


def _cut_out(images: Tensor, cut_out: CutOut) -> Tensor:
    """Hide a rectangle of some of the images behind a colour."""
    top, bottom, left, right = cut_out.corners[:, :, None].unbind(1)
    y, x = (torch.arange(length, device=images.device) for length in images.shape[2:])
    rows = (y >= top) & (y <= bottom)
    columns = (x >= left) & (x <= right)
    hidden = cut_out.chosen[:, None, None] & rows[:, :, None] & columns[:, None, :]
    return torch.where(hidden[:, None], cut_out.colour[:, :, None, None], images)
