"""What a measurement can say beside its figures."""

from workers.kernel.errors import TocsinError


class BenchError(TocsinError):
    """A measurement that came to nothing: a tick failed, or its orders couldn't be booked."""
