"""Kernels around the networks of images: resampling before them, masks and fields after them.

They are part of the engine because they are generated, cached and run as all other kernels are.
"""

from core.backends.cpu.codegen.images.block_averages import BlockAverages
from core.backends.cpu.codegen.images.field_odds import FieldOdds
from core.backends.cpu.codegen.images.filtered_images import FilteredLines, MixedLines
from core.backends.cpu.codegen.images.limited_field import LimitedField
from core.backends.cpu.codegen.images.region_samples import RegionSamples
from core.backends.cpu.codegen.images.strongest_field import StrongestField
from core.backends.cpu.codegen.images.walked_points import WalkedPoints

__all__ = [
    "BlockAverages",
    "FieldOdds",
    "FilteredLines",
    "LimitedField",
    "MixedLines",
    "RegionSamples",
    "StrongestField",
    "WalkedPoints",
]
