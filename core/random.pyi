"""Random numbers. Written by ``python -m tests.rules.public_stubs``."""

from core.ops import dropout as dropout
from core.ops import multinomial as multinomial
from core.ops import rand as rand
from core.ops import random_gamma as random_gamma
from core.ops import random_normal as random_normal
from core.ops import random_standard_normal as random_standard_normal
from core.ops import random_uniform as random_uniform
from core.ops import random_uniform_int as random_uniform_int
from core.ops import set_random_seed as set_random_seed
from core.ops import truncated_normal as truncated_normal
