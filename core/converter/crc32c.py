"""CRC-32C of large data, fast enough for checkpoints: many blocks of bytes in parallel."""

from functools import cache

import numpy as np

#: The Castagnoli polynomial, lowest power first.
_POLYNOMIAL = 0x82F63B78

#: Logarithm of the bytes of a block, and the number of blocks that are processed in parallel.
_BLOCK_BITS = 10
_BLOCK = 1 << _BLOCK_BITS
_BLOCKS = 8192


def _byte_table() -> np.ndarray:
    """Return the state after eight bits of each lowest byte are shifted out."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(_POLYNOMIAL), table >> 1)
    return table


_TABLE = _byte_table()
_TABLE_LIST = _TABLE.tolist()


def _half_table(shift: int) -> np.ndarray:
    """Return the state after all bits of each lower or upper half are shifted out."""
    states = np.arange(1 << 16, dtype=np.uint32) << np.uint32(shift)
    for _ in range(4):
        states = _TABLE[states & np.uint32(0xFF)] ^ (states >> np.uint32(8))
    return states


_LOWER, _UPPER = _half_table(0), _half_table(16)


def crc32c(data: bytes | memoryview, start: int = 0) -> int:
    """Return the CRC-32C of data; ``start`` is the CRC of preceding data.

    Source: RFC 3720, B.4. Blocks are joined as a checksum is linear: the checksum of data followed
    by zeros is a matrix of bits times the checksum of the data.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    state = start ^ 0xFFFF_FFFF
    whole = len(data) // _BLOCK * _BLOCK
    words = np.frombuffer(data, "<u4", whole // 4).reshape(-1, _BLOCK // 4)
    for first in range(0, len(words), _BLOCKS):
        state = _joined(_block_states(words[first : first + _BLOCKS], state))
    for octet in bytes(data[whole:]):
        state = _TABLE_LIST[(state ^ octet) & 0xFF] ^ (state >> 8)
    return state ^ 0xFFFF_FFFF


def unmasked(stored: int) -> int:
    """Return the checksum from its masked form in a LevelDB file.

    >>> hex(unmasked(0xA282EAD8))
    '0x0'
    """
    rotated = (stored - 0xA282EAD8) & 0xFFFF_FFFF
    return (rotated >> 17 | rotated << 15) & 0xFFFF_FFFF


def _block_states(words: np.ndarray, start: int) -> np.ndarray:
    """Return the state after each block alone; the first block continues from ``start``."""
    states = np.zeros(len(words), np.uint32)
    states[0] = start
    for column in np.ascontiguousarray(words.T):
        states = states ^ column
        states = _LOWER[states & np.uint32(0xFFFF)] ^ _UPPER[states >> np.uint32(16)]
    return states


def _joined(states: np.ndarray) -> int:
    """Return the state after all blocks: neighbours are joined until one is left."""
    zeros = _BLOCK_BITS
    while len(states) > 1:
        if len(states) % 2:  # an empty block before the first has no effect
            states = np.concatenate([np.zeros(1, np.uint32), states])
        states = _shifted(_zeros(zeros), states[::2]) ^ states[1::2]
        zeros += 1
    return int(states[0])


@cache
def _zeros(bits: int) -> np.ndarray:
    """Return, for each byte of a state and each of its values, the state after 2**bits zeros."""
    if bits:
        half = _zeros(bits - 1)
        return _shifted(half, half)
    states = np.arange(256, dtype=np.uint32) << np.arange(0, 32, 8, dtype=np.uint32)[:, None]
    return _TABLE[states & np.uint32(0xFF)] ^ (states >> np.uint32(8))


def _shifted(tables: np.ndarray, states: np.ndarray) -> np.ndarray:
    """Return states after zeros, by the tables of their bytes."""
    octets = [tables[i][states >> np.uint32(8 * i) & np.uint32(0xFF)] for i in range(4)]
    return octets[0] ^ octets[1] ^ octets[2] ^ octets[3]
