"""Canonical bytes and the digests over them.

The canonical form of a value is its compact JSON as msgspec writes it, keys of mappings sorted, fields of records in
the order of their declaration: one value, one text. A *bucket* is one of 256, by the first byte of SHA-256 of a
home's key. A bucket's digest is SHA-256 over its items, one a line, in key order; the digest of the whole is SHA-256
over the bucket digests. So digests depend neither on slices nor on shards nor on workers.
"""

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

BUCKETS = 256
EMPTY = hashlib.sha256(b"").digest()
"""The digest of an empty bucket."""

_ENCODER = msgspec.json.Encoder(order="deterministic")
canonical = _ENCODER.encode
"""Canonical bytes of a value: records, mappings, sequences, texts, integers, booleans, null."""


def canonical_lines(values: Iterable[Any]) -> bytes:
    """The canonical bytes of values as one text, a line each."""
    return _ENCODER.encode_lines(values)[:-1]


def bucket_of(key: str) -> int:
    """The bucket 0..255 of a home's key."""
    return hashlib.sha256(key.encode()).digest()[0]


def sha256_hex(data: bytes) -> str:
    """The name of an immutable blob: SHA-256 in hexadecimal."""
    return hashlib.sha256(data).hexdigest()


def digest_of_items(items: Iterable[bytes]) -> bytes:
    """SHA-256 over items in the given order, a line each."""
    return hashlib.sha256(b"\n".join(items)).digest()


def digest_of_buckets(label: str, buckets: Mapping[int, bytes], rest: Iterable[bytes] = ()) -> str:
    """One digest in hexadecimal over 256 bucket digests (those absent are empty) and what stands beside them."""
    parts = [EMPTY] * BUCKETS
    for bucket, digest in buckets.items():
        parts[bucket] = digest
    return hashlib.sha256(b"".join((label.encode(), *parts, *rest))).hexdigest()


def digest_of_parts(label: str, parts: Mapping[str, Any]) -> str:
    """One digest in hexadecimal over named parts, by their canonical bytes."""
    return hashlib.sha256(label.encode() + b"\n" + canonical(dict(parts))).hexdigest()
