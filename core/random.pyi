"""Random numbers. Written by ``python -m tests.rules.public_stubs``."""

from core.ops import dropout as dropout, multinomial as multinomial, rand as rand
from core.ops import random_gamma as random_gamma, random_normal as random_normal
from core.ops import random_standard_normal as random_standard_normal
from core.ops import random_uniform as random_uniform, random_uniform_int as random_uniform_int
from core.ops import set_random_seed as set_random_seed, truncated_normal as truncated_normal
