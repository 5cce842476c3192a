"""Make an admin's token and print its secret, once: what a new installation starts from.

Run it with the operator's environment (`deploy/secrets/operator.env`): it writes to the server, not through the API.
"""

import sys

from workers import clock
from workers.bootstrap import compose
from workers.service.access import Access

if __name__ == "__main__":
    sys.stdout.write(Access(compose().store, clock.entropy).create_admin("installation").secret + "\n")
