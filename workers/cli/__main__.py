"""`python -m workers.cli` is `tocsin`."""

from workers.cli import main

main()
