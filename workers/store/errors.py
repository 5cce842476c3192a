"""What the store can refuse by raising. Everything that a caller must decide on is a reply, never an exception."""

from __future__ import annotations


class StoreError(Exception):
    """The base of all errors that this package raises itself; the server's own are redis-py's."""


class InvalidName(StoreError, ValueError):
    """A campaign or camp name that can't be part of a key or of a path."""


class InvalidRequest(StoreError, ValueError):
    """A request that breaks a stated bound of the store, before anything was sent."""


class CorruptRecord(StoreError):
    """A stored value that isn't what this version writes: the message names the key and the field."""


class ArchiveError(StoreError):
    """The archive couldn't be written or read back as it was written."""


class ArchiveConflict(ArchiveError):
    """A tick is already archived with other content; archives are never rewritten."""


class ArchiveTooLarge(ArchiveError):
    """Reading would go past the bound in bytes that the caller gave."""


class ServerStartError(StoreError):
    """The embedded server didn't come up; the message holds the end of its log."""
