"""Linear algebra. Written by ``python -m core.public.stubs``."""

from core import band_part as band_part
from core import dot as dot
from core import gram_schmidt as gram_schmidt
from core import matmul as matmul
from core import outer_product as outer_product
from core import qr as qr
