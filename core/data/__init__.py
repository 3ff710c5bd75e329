"""Datasets and augmentation of images.

>>> import core, numpy as np
>>> x, y = np.arange(8.0).reshape(4, 2), np.array([0, 1, 0, 1])
>>> dataset = core.data.from_arrays(x, y).shuffle(seed=3).batch(2)
>>> for images, labels in dataset:
...     print(images.shape, labels)
(2, 2) [1 0]
(2, 2) [1 0]
"""

from typing import TYPE_CHECKING

from core.data import augmentation as augmentation
from core.data.batches import Batch, Batches, as_batches, split_validation
from core.data.csv_files import from_csv, text_lines
from core.data.dataset import Dataset, concatenate, func, zip_datasets
from core.data.image_folders import ImageFolder, from_frames, image_folder
from core.data.lengths import UnknownLengthError
from weights_cache.common.similar_names import missing_from

array = from_arrays = Dataset.from_arrays
csv = from_csv
from_generator = generator = Dataset.from_generator
zip = zip_datasets

__all__ = [
    "Batch",
    "Batches",
    "Dataset",
    "ImageFolder",
    "UnknownLengthError",
    "array",
    "as_batches",
    "concatenate",
    "csv",
    "from_arrays",
    "from_csv",
    "from_frames",
    "from_generator",
    "func",
    "generator",
    "image_folder",
    "split_validation",
    "text_lines",
    "zip",
]

if not TYPE_CHECKING:  # for type checkers __getattr__ would make every name valid
    __getattr__ = missing_from(__name__, __all__)
