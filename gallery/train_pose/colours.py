"""Random changes of colour, sharpness and content; the strengths are those of the reported run."""

import torch
from rand import uniform
from torch import Tensor
from torch.nn import functional

# Shares of pictures that are changed, and the largest changes at strength 1.
JITTERED_SHARE, GREY_SHARE = 0.8, 0.06
SATURATION, CONTRAST, BRIGHTNESS, TINT, GAMMA = 0.5, 0.45, 0.4, 0.3, 0.3

STUDENT_JITTER = 0.5
FOCUS_SHARE, FOCUS_RANGE = 0.5, (-0.9, 1.1)
NOISE_SHARE, NOISE_LIMIT = 0.3, 0.06
# Two rounds of rectangles of random colour; sides as shares of the picture's.
CUT_OUT_SHARES, CUT_OUT_SIDES = (0.2, 0.1), (0.04, 0.22)


def _per_picture(values: Tensor) -> Tensor:
    return values.view(-1, 1, 1, 1)


def jitter_colours(pictures: Tensor, strength: float) -> Tensor:
    """Change saturation, contrast, brightness, tint and gamma of pictures in [0, 1]."""
    count, device, dtype = len(pictures), pictures.device, pictures.dtype

    def change(limit: float) -> Tensor:
        amount = uniform(count, device, -limit * strength, limit * strength)
        return jittered * _per_picture(amount).to(dtype)

    jittered = _per_picture(uniform(count, device) < JITTERED_SHARE).to(dtype)
    grey = pictures.mean(1, keepdim=True)
    pictures = grey + (pictures - grey) * (1 + change(SATURATION))
    turn_grey = _per_picture(uniform(count, device)) < GREY_SHARE
    pictures = torch.where(turn_grey, grey, pictures)
    mean = pictures.mean((1, 2, 3), keepdim=True)
    pictures = mean + (pictures - mean) * change(CONTRAST).exp()
    pictures = pictures * change(BRIGHTNESS).exp()
    tint = torch.rand(count, 3, 1, 1, device=device, dtype=dtype) - 0.5
    pictures = pictures * (jittered * tint * TINT * strength).exp()
    return pictures.clamp(0, 1).pow(change(GAMMA).exp())


def degrade(pictures: Tensor) -> Tensor:
    """Return float32 pictures in [0, 1] as only the student sees them."""
    pictures = jitter_colours(pictures, STUDENT_JITTER)
    pictures = _change_focus(pictures)
    pictures = _add_noise(pictures)
    for share in CUT_OUT_SHARES:
        pictures = _cut_out(pictures, share)
    return pictures.clamp(0, 1)


def _amount_for_some(pictures: Tensor, share: float, limits: tuple[float, float]) -> Tensor:
    """Draw an amount per picture; zero for all but a share of them."""
    count, device = len(pictures), pictures.device
    chosen = uniform(count, device) < share
    return _per_picture(torch.where(chosen, uniform(count, device, *limits), 0.0))


def _change_focus(pictures: Tensor) -> Tensor:
    """Sharpen (amount > 0) or blur with the binomial kernel 1 4 6 4 1."""
    kernel = pictures.new_tensor([1.0, 4.0, 6.0, 4.0, 1.0]) / 16
    kernel = (kernel[:, None] * kernel).expand(3, 1, 5, 5)
    padded = functional.pad(pictures, (2, 2, 2, 2), mode="replicate")
    blurred = functional.conv2d(padded, kernel, groups=3)
    return pictures + _amount_for_some(pictures, FOCUS_SHARE, FOCUS_RANGE) * (pictures - blurred)


def _add_noise(pictures: Tensor) -> Tensor:
    deviation = _amount_for_some(pictures, NOISE_SHARE, (0.0, NOISE_LIMIT))
    return pictures + deviation * torch.randn_like(pictures)


def _cut_out(pictures: Tensor, share: float) -> Tensor:
    """Hide a random rectangle behind a random colour in a share of the pictures."""
    count, _, side, _ = pictures.shape
    device = pictures.device
    height, width = (uniform(count, device, *CUT_OUT_SIDES) * side for _ in range(2))
    centre_y, centre_x = (uniform(count, device) * side for _ in range(2))
    rows = _strip(centre_y, height, side)[:, None, :, None]
    columns = _strip(centre_x, width, side)[:, None, None, :]
    chosen = _per_picture(uniform(count, device) < share)
    colour = torch.rand(count, 3, 1, 1, device=device)
    return torch.where(rows & columns & chosen, colour, pictures)


def _strip(centre: Tensor, extent: Tensor, side: int) -> Tensor:
    """Return ``[n, side]``: which pixels lie within extent / 2 of the centre."""
    pixels = torch.arange(side, device=centre.device)
    return (pixels - centre[:, None]).abs() < extent[:, None] / 2
