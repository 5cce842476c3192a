"""The command line `tocsin`: one module a verb.

A verb imports what it needs when it is called, so `tocsin roll` waits for neither Redis nor Celery. Exit codes: 0 done,
1 a check failed, 2 usage or input, 3 server unreachable.
"""


def main() -> None:
    """Run `tocsin` with the process's arguments."""
    from workers.cli.program import app

    app()
