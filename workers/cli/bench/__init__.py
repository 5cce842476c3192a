"""`tocsin bench`: what Tocsin does in a second, as ratios to references measured in the same run."""

from workers.cli.bench.verb import app

__all__ = ["app"]
