"""FarmHash's Fingerprint64, the hash of strings that never changes.

Source: FarmHash by Geoff Pike, Google (``farmhashna::Hash64`` in farmhash.cc, MIT licence), which
TensorFlow and TensorFlow.js use for hash buckets. All arithmetic is modulo 2**64.
"""

_K0 = 0xC3A5C85C97CB3127
_K1 = 0xB492B66FBE98F273
_K2 = 0x9AE16A3B2F90404F
_MASK = (1 << 64) - 1

Pair = tuple[int, int]


def fingerprint64(text: bytes) -> int:
    """Return the fingerprint of a string of any length, from 0 to 2**64 - 1.

    >>> hex(fingerprint64(b"hello"))
    '0xb48be5a931380ce8'
    """
    size = len(text)
    if size <= 16:
        return _up_to_16(text, size)
    if size <= 32:
        return _up_to_32(text, size)
    return _up_to_64(text, size) if size <= 64 else _beyond_64(text, size)


def _word(text: bytes, at: int, size: int = 8) -> int:
    return int.from_bytes(text[at : at + size], "little")


def _rotate(value: int, shift: int) -> int:
    value &= _MASK
    return (value >> shift | value << (64 - shift)) & _MASK


def _mix(value: int) -> int:
    value &= _MASK
    return value ^ value >> 47


def _hash16(u: int, v: int, factor: int) -> int:
    """Hash two words to one, after Murmur."""
    v &= _MASK
    a = _mix(((u & _MASK) ^ v) * factor)
    return _mix((v ^ a) * factor) * factor & _MASK


def _up_to_16(text: bytes, size: int) -> int:
    factor = _K2 + size * 2
    if size >= 8:
        a, b = _word(text, 0) + _K2, _word(text, size - 8)
        c = _rotate(b, 37) * factor + a
        d = (_rotate(a, 25) + b) * factor
        return _hash16(c, d, factor)
    if size >= 4:
        return _hash16(size + (_word(text, 0, 4) << 3), _word(text, size - 4, 4), factor)
    if size:
        y = text[0] + (text[size >> 1] << 8)
        z = size + (text[-1] << 2)
        return _mix(y * _K2 & _MASK ^ z * _K0 & _MASK) * _K2 & _MASK
    return _K2


def _sums(a: int, b: int, c: int, d: int) -> Pair:
    """Return two mixtures of four words, as both lengths up to 64 use them."""
    first = _rotate(a + b, 43) + _rotate(c, 30) + d
    return first, a + _rotate(b + _K2, 18) + c


def _ends(text: bytes, size: int, first_factor: int) -> tuple[int, int, int, int]:
    """Return the first two and the last two words, scaled."""
    factor = _K2 + size * 2
    return (
        _word(text, 0) * first_factor & _MASK,
        _word(text, 8),
        _word(text, size - 8) * factor & _MASK,
        _word(text, size - 16) * _K2 & _MASK,
    )


def _up_to_32(text: bytes, size: int) -> int:
    return _hash16(*_sums(*_ends(text, size, _K1)), _K2 + size * 2)


def _up_to_64(text: bytes, size: int) -> int:
    factor = _K2 + size * 2
    a, b, c, d = _ends(text, size, _K2)
    y, other = _sums(a, b, c, d)
    z = _hash16(y, other, factor)
    e, f = _word(text, 16) * factor & _MASK, _word(text, 24)
    g = (y + _word(text, size - 32)) * factor & _MASK
    h = (z + _word(text, size - 24)) * factor & _MASK
    first = _rotate(e + f, 43) + _rotate(g, 30) + h
    return _hash16(first, e + _rotate(f + a, 18) + g, factor)


def _weak_hash32(text: bytes, at: int, a: int, b: int) -> Pair:
    """Hash 32 bytes and two seeds to two words."""
    w, x, y, z = (_word(text, at + i) for i in (0, 8, 16, 24))
    a += w
    b = _rotate(b + a + z, 21)
    c = a
    a += x + y
    return a + z & _MASK, b + _rotate(a, 44) + c & _MASK


def _beyond_64(text: bytes, size: int) -> int:
    """Hash blocks of 64 bytes into seven words; the last block overlaps the previous one."""
    x = 81 * _K2 + _word(text, 0) & _MASK
    y = 81 * _K1 + 113 & _MASK
    z = _mix(y * _K2 + 113) * _K2 & _MASK
    v, w = (0, 0), (0, 0)
    for at in range(0, (size - 1) // 64 * 64, 64):
        x, y, z, v, w = _stirred(text, at, x, y, z, v, w, _K1, 1)
    factor = _K1 + ((z & 0xFF) << 1)
    first = w[0] + (size - 1 & 63)
    v = (v[0] + first, v[1])
    w = (first + v[0], w[1])
    x, y, z, v, w = _stirred(text, size - 64, x, y, z, v, w, factor, 9)
    low = _hash16(v[0], w[0], factor) + _mix(y) * _K0 + z
    return _hash16(low, _hash16(v[1], w[1], factor) + x, factor)


def _stirred(
    text: bytes, at: int, x: int, y: int, z: int, v: Pair, w: Pair, factor: int, weight: int
) -> tuple[int, int, int, Pair, Pair]:
    """Return the seven words of the state after a block."""
    x = _rotate(x + y + v[0] + _word(text, at + 8), 37) * factor & _MASK
    y = _rotate(y + v[1] + _word(text, at + 48), 42) * factor & _MASK
    x ^= w[1] * weight & _MASK
    y = y + v[0] * weight + _word(text, at + 40) & _MASK
    z = _rotate(z + w[0], 33) * factor & _MASK
    v = _weak_hash32(text, at, v[1] * factor, x + w[0])
    w = _weak_hash32(text, at + 32, z + w[1], y + _word(text, at + 16))
    return z, y, x, v, w
