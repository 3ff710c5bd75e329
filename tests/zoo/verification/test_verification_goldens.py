"""The goldens of bundled models that ship are what the weights give, here and in PyTorch."""

import json

import numpy as np
import pytest

from tests.gallery.programs import load_program
from tests.helpers import require
from tests.zoo.verification.bundled_goldens import bundled, golden_of, outputs_for, paths_of
from weights_cache import load_weights
from zoo.catalog.entries import find_entry
from zoo.verification.cases import OWN_SOURCE
from zoo.verification.comparison import Rule, difference


def stored(entry):
    arrays, facts = paths_of(entry)
    assert json.loads(facts.read_text())["reference_implementation"] == OWN_SOURCE
    with np.load(arrays, allow_pickle=False) as found:
        return dict(found)


@pytest.mark.parametrize("entry", bundled(), ids=lambda entry: entry.name)
def test_goldens_are_in_step_with_the_weights(entry):
    """``python -m tests.zoo.verification.bundled_goldens`` writes them."""
    golden, now = stored(entry), golden_of(entry)
    assert golden.keys() == now.keys()
    np.testing.assert_allclose(golden["input"], now["input"], atol=0.02)  # of JPEG and resizing
    outputs = outputs_for(entry, golden["input"])
    for name, output in outputs.items():
        assert not difference(output, golden[name], Rule(share=1e-5)).fault, name


def test_pytorch_gives_the_goldens_of_posenet_tiny():
    """By the network of the program that trained it."""
    torch = require("torch")
    network = load_program("train_pose").network.FoldedPoseNet(load_weights("posenet-tiny"))
    golden = stored(find_entry("posenet.tiny"))
    with torch.no_grad():
        given = torch.from_numpy(golden["input"].transpose(0, 3, 1, 2).copy())
        outputs = network(given)._asdict()
    assert len(outputs) == 4
    for name, found in outputs.items():
        array = found.numpy().transpose(0, 2, 3, 1)
        fault = difference(array, golden[name.removesuffix("_2")], Rule(share=1e-5)).fault
        assert not fault, (name, fault)
