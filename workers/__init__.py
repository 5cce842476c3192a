"""Tocsin's workers: the pure core (`kernel`, `rules`) and everything that runs it on Redis and Celery.

Importing any module of this package opens no connection and reads no clock, environment or randomness.
"""
