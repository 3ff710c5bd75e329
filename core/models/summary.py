"""The table of a model's layers."""

from core.errors import CoreError
from core.layers.layer import Layer


def summary_text(model: Layer) -> str:
    """Return the layers with the shapes of their results and their numbers of parameters."""
    rows = [("Layer (type)", "Output shape", "Parameters")]
    for layer in model.sublayers():
        assert isinstance(layer, Layer)
        rows.append(
            (f"{layer.name} ({type(layer).__name__})", _shape(layer), f"{layer.count_params():,}")
        )
    widths = [max(len(row[i]) for row in rows) for i in range(3)]
    lines = [
        f"{name:<{widths[0]}}  {shape:<{widths[1]}}  {count:>{widths[2]}}"
        for name, shape, count in rows
    ]
    return "\n".join([f'Model: "{model.name}"', *lines, _totals(model)])


def _shape(layer: Layer) -> str:
    try:
        return str(layer.output_shape)
    except CoreError:
        return "?"


def _totals(model: Layer) -> str:
    trained = sum(v.size for v in model.trainable_variables)
    total = model.count_params()
    size = 4 * total
    units = ("B", 1), ("kB", 1e3), ("MB", 1e6), ("GB", 1e9)
    unit, factor = [each for each in units if size >= each[1]][-1] if size else units[0]
    shown = f"{size / factor:.0f}" if factor == 1 else f"{size / factor:.1f}"
    return (
        f"Total parameters: {total:,} ({shown} {unit}), trainable: {trained:,}, "
        f"not trainable: {total - trained:,}"
    )
