"""Ops on images. Written by ``python -m tests.rules.public_stubs``."""

from core.ops import crop_and_resize as crop_and_resize, flip_left_right as flip_left_right
from core.ops import grayscale_to_rgb as grayscale_to_rgb
from core.ops import non_max_suppression as non_max_suppression
from core.ops import non_max_suppression_async as non_max_suppression_async
from core.ops import non_max_suppression_padded as non_max_suppression_padded
from core.ops import non_max_suppression_padded_async as non_max_suppression_padded_async
from core.ops import non_max_suppression_with_score as non_max_suppression_with_score
from core.ops import non_max_suppression_with_score_async as non_max_suppression_with_score_async
from core.ops import resize_bilinear as resize_bilinear
from core.ops import resize_nearest_neighbor as resize_nearest_neighbor
from core.ops import rgb_to_grayscale as rgb_to_grayscale
from core.ops import rotate_with_offset as rotate_with_offset, threshold as threshold
from core.ops import transform as transform
