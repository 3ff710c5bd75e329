"""Linear algebra. Written by ``python -m tests.rules.public_stubs``."""

from core.ops import band_part as band_part, dot as dot, gram_schmidt as gram_schmidt
from core.ops import matmul as matmul, outer_product as outer_product, qr as qr
