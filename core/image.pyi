"""Ops on images. Written by ``python -m core.public.stubs``."""

from core import crop_and_resize as crop_and_resize
from core import flip_left_right as flip_left_right
from core import grayscale_to_rgb as grayscale_to_rgb
from core import non_max_suppression as non_max_suppression
from core import non_max_suppression_async as non_max_suppression_async
from core import non_max_suppression_padded as non_max_suppression_padded
from core import non_max_suppression_padded_async as non_max_suppression_padded_async
from core import non_max_suppression_with_score as non_max_suppression_with_score
from core import non_max_suppression_with_score_async as non_max_suppression_with_score_async
from core import resize_bilinear as resize_bilinear
from core import resize_nearest_neighbor as resize_nearest_neighbor
from core import rgb_to_grayscale as rgb_to_grayscale
from core import rotate_with_offset as rotate_with_offset
from core import threshold as threshold
from core import transform as transform
