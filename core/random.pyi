"""Random numbers. Written by ``python -m core.public.stubs``."""

from core import dropout as dropout
from core import multinomial as multinomial
from core import rand as rand
from core import random_gamma as random_gamma
from core import random_normal as random_normal
from core import random_standard_normal as random_standard_normal
from core import random_uniform as random_uniform
from core import random_uniform_int as random_uniform_int
from core import set_random_seed as set_random_seed
from core import truncated_normal as truncated_normal
