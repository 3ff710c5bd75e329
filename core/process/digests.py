"""Digests of bytes without OpenSSL, whose import takes 3 ms of the start of a process."""

try:
    from _blake2 import blake2b  # as `random` does
except ImportError:
    from hashlib import blake2b

#: Bytes of a digest that no other content has.
DIGEST_BYTES = 32

__all__ = ["DIGEST_BYTES", "blake2b"]
