"""The rulebooks, and the contract that each of them fulfils.

As pure as the kernel. A rulebook is a value; rulebooks know the kernel and the contract, never each other.
"""
