"""Every op, in files by family. Importing this package declares them all."""

from core.ops import (  # noqa: F401
    binary,
    compare,
    conv,
    create,
    image,
    linear,
    reduce,
    shape,
    slice,
    unary,
)
