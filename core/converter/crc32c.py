"""CRC-32C of large data, fast enough for checkpoints: many lanes of bytes at once."""

from functools import cache

import numpy as np

#: Castagnoli's polynomial, lowest power first.
_POLYNOMIAL = 0x82F63B78

#: Data is cut into lanes of this many bytes, and so many lanes are worked on at once.
_LANE_BITS = 10
_LANE = 1 << _LANE_BITS
_LANES = 8192


def _byte_table() -> np.ndarray:
    """What becomes of a checksum's lowest byte when eight bits are shifted out."""
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(_POLYNOMIAL), table >> 1)
    return table


_TABLE = _byte_table()
_TABLE_LIST = _TABLE.tolist()


def _half_table(shift: int) -> np.ndarray:
    """What becomes of the lower or upper half of a checksum when all its bits are shifted out."""
    states = np.arange(1 << 16, dtype=np.uint32) << np.uint32(shift)
    for _ in range(4):
        states = _TABLE[states & np.uint32(0xFF)] ^ (states >> np.uint32(8))
    return states


_LOWER, _UPPER = _half_table(0), _half_table(16)


def crc32c(data: bytes | memoryview, start: int = 0) -> int:
    """The CRC-32C of data, which may go on from that of what is before it.

    Source: RFC 3720, B.4. Lanes are joined as a checksum is linear: that of zeros after some data
    is a matrix of bits times the data's own.

    >>> hex(crc32c(b"123456789"))
    '0xe3069283'
    """
    state = start ^ 0xFFFF_FFFF
    whole = len(data) // _LANE * _LANE
    words = np.frombuffer(data, "<u4", whole // 4).reshape(-1, _LANE // 4)
    for first in range(0, len(words), _LANES):
        state = _joined(_lane_states(words[first : first + _LANES], state))
    for octet in bytes(data[whole:]):
        state = _TABLE_LIST[(state ^ octet) & 0xFF] ^ (state >> 8)
    return state ^ 0xFFFF_FFFF


def unmasked(stored: int) -> int:
    """The checksum that a LevelDB file stores in disguise.

    >>> hex(unmasked(0xA282EAD8))
    '0x0'
    """
    rotated = (stored - 0xA282EAD8) & 0xFFFF_FFFF
    return (rotated >> 17 | rotated << 15) & 0xFFFF_FFFF


def _lane_states(words: np.ndarray, start: int) -> np.ndarray:
    """The state after each lane alone; the first one goes on from a start."""
    states = np.zeros(len(words), np.uint32)
    states[0] = start
    for column in np.ascontiguousarray(words.T):
        states = states ^ column
        states = _LOWER[states & np.uint32(0xFFFF)] ^ _UPPER[states >> np.uint32(16)]
    return states


def _joined(states: np.ndarray) -> int:
    """The state after all lanes: neighbours are joined until one is left."""
    zeros = _LANE_BITS
    while len(states) > 1:
        if len(states) % 2:  # a lane of nothing before the first changes nothing
            states = np.concatenate([np.zeros(1, np.uint32), states])
        states = _shifted(_zeros(zeros), states[::2]) ^ states[1::2]
        zeros += 1
    return int(states[0])


@cache
def _zeros(bits: int) -> np.ndarray:
    """What becomes of each value of each of a state's bytes after 2 to that power of zeros."""
    if bits:
        half = _zeros(bits - 1)
        return _shifted(half, half)
    states = np.arange(256, dtype=np.uint32) << np.arange(0, 32, 8, dtype=np.uint32)[:, None]
    return _TABLE[states & np.uint32(0xFF)] ^ (states >> np.uint32(8))


def _shifted(tables: np.ndarray, states: np.ndarray) -> np.ndarray:
    """States after what the tables of their bytes say."""
    octets = [tables[i][states >> np.uint32(8 * i) & np.uint32(0xFF)] for i in range(4)]
    return octets[0] ^ octets[1] ^ octets[2] ^ octets[3]
