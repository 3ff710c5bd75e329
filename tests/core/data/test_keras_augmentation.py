"""Maps of images beside Keras's layers, with the same parameters."""

import json

import numpy as np
import pytest

from core.data import augmentation, colors
from tests.core.data.keras_augmentation import AMOUNTS, CASES, FILE, RESIZED, images

RECORDED = json.loads(FILE.read_text())
CHANGES = {"RandomContrast": colors.contrasted, "RandomHue": colors.hue_shifted}


@pytest.mark.parametrize("number", range(len(CASES)))
def test_layers(number):
    kind, options, high = CASES[number]
    found = getattr(augmentation, kind)(**options)(images(high))
    expected = np.array(RECORDED[number]).reshape(found.shape)
    np.testing.assert_allclose(found, expected, atol=1e-4 * high)


@pytest.mark.parametrize("number", range(len(AMOUNTS)))
def test_amounts(number):
    kind, _, amounts, high = AMOUNTS[number]
    found = CHANGES[kind](images(high), np.array(amounts), 0, high)
    expected = np.array(RECORDED[len(CASES) + number]).reshape(found.shape)
    np.testing.assert_allclose(found, expected, atol=1e-4 * high)


@pytest.mark.parametrize("number", range(len(RESIZED)))
def test_crops_of_small_images(number):
    found = augmentation.RandomCrop(*RESIZED[number][0])(images(255))
    expected = np.array(RECORDED[number - len(RESIZED)]).reshape(found.shape)
    np.testing.assert_allclose(found, expected, atol=0.03)
