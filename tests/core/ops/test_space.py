"""Borders and blocks where they are special. Values come from `tests.core.ops.records.space`."""

import numpy as np
import pytest

import core

IMAGE = np.arange(16.0, dtype=np.float32).reshape(1, 4, 4, 1)


@pytest.mark.parametrize(
    "call, message",
    [
        (lambda: core.pad(1.0, []), "for each axis"),
        (lambda: core.pad([1.0], [(1, 1), (0, 0)]), "for each axis"),
        (lambda: core.pad([1.0], [(1,)]), "for each axis"),
        (lambda: core.pad([1.0], [(0, -1)]), "for each axis"),
        (lambda: core.pad([1.0], [(0, 1.5)]), "integers"),
        (lambda: core.pad([1], [(1, 1)], 2.5), "not an integer"),
        (lambda: core.pad(["a"], [(1, 1)]), "give numbers or strings"),
        (lambda: core.pad([1.0], [(1, 1)], None), "cannot turn"),
        (lambda: core.mirror_pad([1, 2], [(2, 0)]), r"must not be wider than \(1,\)"),
        (lambda: core.mirror_pad([1, 2], [(0, 3)], "symmetric"), r"wider than \(2,\)"),
        (lambda: core.mirror_pad([1, 2], [(0, 1)], "wrap"), "mode='wrap' must be"),
        (lambda: core.mirror_pad(1, []), "for each axis"),
        (lambda: core.space_to_batch_nd(IMAGE, (3, 2), [(0, 0), (0, 0)]), "do not divide"),
        (lambda: core.space_to_batch_nd(IMAGE, (2, 2), [(0, 0)]), "for each of 2 axes"),
        (lambda: core.space_to_batch_nd([1, 2], (2,), [(0, 0)]), "from 1 on"),
        (lambda: core.space_to_batch_nd(IMAGE, (0, 2), [(0, 0), (0, 0)]), "from 1 on"),
        (lambda: core.batch_to_space_nd(IMAGE, (2, 2), [(0, 0), (0, 0)]), "a batch of 1"),
        (lambda: core.batch_to_space_nd([[1], [2]], (2,), [(2, 1)]), "leave nothing"),
        (lambda: core.batch_to_space_nd([[1], [2]], (2,), [(-1, 1)]), "for each of 1 axes"),
        (lambda: core.depth_to_space(IMAGE, 2), "its square divide 1"),
        (lambda: core.depth_to_space(IMAGE, 1), "block_size=1 must be 2"),
        (lambda: core.depth_to_space(IMAGE[0], 2), "4 axes"),
        (lambda: core.depth_to_space(IMAGE, 2, "NHCW"), "data_format='NHCW'"),
    ],
)
def test_misuse(call, message):
    with pytest.raises(core.CoreError, match=message):
        call()


def test_a_border_of_strings():
    padded = core.pad(["a"], [(1, 2)], "é")
    assert padded.tolist() == ["é".encode(), b"a", "é".encode(), "é".encode()]


def test_blocks_there_and_back():
    sides = [(1, 1), (2, 0)]
    batch = core.space_to_batch_nd(IMAGE, (2, 3), sides)
    assert batch.shape == (6, 3, 2, 1)
    np.testing.assert_array_equal(core.batch_to_space_nd(batch, (2, 3), sides).numpy(), IMAGE)


def test_the_gradient_of_a_mirror_counts_what_is_mirrored():
    """TensorFlow.js cuts the border's gradient off; it belongs to the values that it shows."""
    slope = core.grad(lambda x: core.sum(core.mirror_pad(x, [(2, 1)])))
    assert slope([1.0, 2.0, 3.0, 4.0]).tolist() == [1, 2, 3, 1]
    slope = core.grad(lambda x: core.sum(core.mirror_pad(x, [(2, 1)], "symmetric")))
    assert slope([1.0, 2.0, 3.0, 4.0]).tolist() == [2, 2, 1, 2]


def test_kernels_of_tensorflow_js():
    (parts,) = core.run_kernel(
        "SpaceToBatchND", {"x": IMAGE}, {"blockShape": [2, 2], "paddings": [[0, 0], [0, 0]]}
    )
    np.testing.assert_array_equal(parts.numpy()[0, :, :, 0], [[0, 2], [8, 10]])
    (space,) = core.run_kernel(
        "BatchToSpaceND", {"x": parts}, {"blockShape": [2, 2], "crops": [[0, 0], [1, 0]]}
    )
    np.testing.assert_array_equal(space.numpy(), IMAGE[:, :, 1:])
    (wide,) = core.run_kernel(
        "DepthToSpace", {"x": parts.reshape((1, 2, 2, 4))}, {"blockSize": 2, "dataFormat": "NHWC"}
    )
    assert wide.shape == (1, 4, 4, 1)
    (bordered,) = core.run_kernel("PadV2", {"x": [1.0]}, {"paddings": [[1, 0]], "constantValue": 7})
    assert bordered.tolist() == [7, 1]


@pytest.mark.parametrize(
    "call",
    [
        lambda: core.depth_to_space(core.ones((1, 1, 1, 4)), (2,)),
    ],
)
def test_one_number_is_not_several_nor_a_bool(call):
    with pytest.raises(core.CoreError, match="must be an integer"):
        call()


@pytest.mark.parametrize("mode", ["reflect", "symmetric"])
def test_an_empty_axis_can_go_without_a_mirror(mode):
    x = np.zeros((0, 3), np.float32)
    assert core.mirror_pad(x, [(0, 0), (1, 2)], mode).shape == (0, 6)
    assert core.grad(lambda t: core.mirror_pad(t, [(0, 0), (1, 2)], mode))(x).shape == (0, 3)
    with pytest.raises(core.CoreError, match="must not be wider"):
        core.mirror_pad(x, [(1, 0), (0, 0)], mode)
