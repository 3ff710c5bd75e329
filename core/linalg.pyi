"""Linear algebra. Written by ``python -m tests.rules.public_stubs``."""

from core.ops import band_part as band_part
from core.ops import dot as dot
from core.ops import gram_schmidt as gram_schmidt
from core.ops import matmul as matmul
from core.ops import outer_product as outer_product
from core.ops import qr as qr
