"""Decisions for each pixel of an image from the coarser fields of a network's output."""

from collections.abc import Mapping, Sequence

import numpy as np

from core.backends.cpu.codegen import called_kernels
from core.backends.cpu.codegen.called_kernels import Call, CalledKernel, Description
from core.backends.cpu.codegen.ir.image_layout import TILE
from core.backends.cpu.image_kernels.generators import generators
from core.backends.cpu.image_kernels.pillow_filter import Taps

#: Cost of a pixel, in instructions: most are in tiles where few fields count.
_PIXEL, _PIXEL_OF_FIELD = 8, 4

#: Sizes to which a varying number of fields, such as of people, is rounded up.
_COUNTS = (4, 8, 16)

#: Largest number of fields whose indices fit into a mask.
_MOST_FIELDS = 255


def strongest(
    fields: np.ndarray,
    lines: Sequence[Taps],
    columns: Taps,
    gate: np.ndarray | None = None,
    has_share: bool = False,
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return which field is largest at each pixel, of equal ones the first.

    Args:
        fields: [rows, columns, fields] of cells.
        lines: which rows of cells the lines of the image are mixed of; of some lines each.
        columns: which columns of cells those of the image are mixed of.
        gate: uint8 [height, width], 0 or 1: numbers are those from 1, and 0 where it is 0.
        has_share: whether the softmax of the largest field is wanted.

    Returns:
        uint8 [height, width], and float32 [height, width] or nothing [0]; None if NumPy is to
        compute them.
    """
    taps = _two_taps(fields, lines, columns)
    count = fields.shape[2]
    if taps is None or not 1 < count <= _MOST_FIELDS:
        return None
    raised = next((n for n in _COUNTS if n >= count), count)
    options = raised, has_share, gate is not None
    kernel = CalledKernel(_strongest_field, options, is_exact=not has_share)
    if not called_kernels.can_run(kernel):
        return None
    if raised > count:
        more = np.full((*fields.shape[:2], raised - count), -np.inf, np.float32)
        fields = np.concatenate([fields, more], axis=2)
    work = _PIXEL + has_share * _PIXEL_OF_FIELD * count
    gates = {} if gate is None else {"gate": np.ascontiguousarray(gate, np.uint8)}
    return _run(kernel, fields, taps, work, has_share, gates)


def reaching(
    field: np.ndarray, lines: Sequence[Taps], columns: Taps, limit: float, share: str = ""
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return the mask of the pixels where a field is at least a limit.

    Args:
        field: [rows, columns] of cells.
        lines: as for `strongest`.
        columns: as for `strongest`.
        limit: compared in float32.
        share: what else is returned: ``"logistic"``, the logistic function of the field,
            ``"clipped"``, the field limited to 0..1, or nothing.

    Returns:
        uint8 [height, width] of 0 and 1, and float32 [height, width] or nothing [0]; None if NumPy
        is to compute them.
    """
    kernel = CalledKernel(_limited_field, (share,), is_exact=not share)
    taps = _two_taps(field, lines, columns)
    if taps is None or not called_kernels.can_run(kernel):
        return None
    work = _PIXEL + bool(share) * _PIXEL_OF_FIELD
    return _run(kernel, field[:, :, None], taps, work, bool(share), {"limit": limit})


_Tables = tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


def _two_taps(cells: np.ndarray, lines: Sequence[Taps], columns: Taps) -> _Tables | None:
    """Return the cells and shares of lines and of columns; None if no kernel supports them."""
    if min(cells.shape[:2]) < 2 or len(columns.first) < TILE[1]:
        return None
    if any(taps.counts.max() > 2 for taps in (*lines, columns)):
        return None
    parts = [_pair(taps) for taps in lines]
    first, shares = (np.concatenate(arrays, axis=1) for arrays in zip(*parts, strict=True))
    return (first, shares), _pair(columns)


def _pair(taps: Taps) -> tuple[np.ndarray, np.ndarray]:
    """Return both cells and both shares of each pixel, [2, new]."""
    shares = np.zeros((2, len(taps.first)))
    shares[: taps.weights.shape[1]] = taps.weights.T
    return np.stack([taps.first, taps.first + taps.counts - 1]), shares


def _run(
    kernel: CalledKernel,
    fields: np.ndarray,
    taps: _Tables,
    work: int,
    has_share: bool,
    more: "Mapping[str, np.ndarray | float]",
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mask and the share that a kernel writes."""
    fields = np.ascontiguousarray(fields, np.float32)
    rows, columns, count = fields.shape
    (lines, line_shares), (across, column_shares) = taps
    size = lines.shape[1], across.shape[1]
    mask, share = np.empty(size, np.uint8), np.empty(size if has_share else 0, np.float32)
    _, block = called_kernels.split(-(-size[0] // TILE[0]), size[0] * size[1] * work)
    block *= TILE[0]
    values = {
        **{"fields": fields, "field_rows": rows, "field_columns": columns},
        **{"mask": mask, "height": size[0], "width": size[1], "block": block},
        **{"line_cells": lines * (columns * count * fields.itemsize), "line_shares": line_shares},
        **{"column_cells": across * (count * fields.itemsize), "column_shares": column_shares},
        **{"share": share, "gate": mask, "limit": 0.0, **more},
    }
    called_kernels.run(Call(kernel, -(-size[0] // block), values))
    return mask, share


def _strongest_field(fields: int, has_share: bool, is_gated: bool) -> Description:
    return generators().StrongestField(fields, has_share, is_gated)


def _limited_field(share: str) -> Description:
    return generators().LimitedField(share)
