"""Recorded ticks of released rulebooks, replayed by every later version of Tocsin.

`python -m tests.records` records those that are missing. What was recorded once is replayed for ever: a release's files
are never made anew, and a version of a rulebook that plays another way needs another number, and files of its own.
"""
