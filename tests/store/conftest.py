from tests.servers import (  # noqa: F401 - pytest finds fixtures by their names
    backend,
    client,
    cluster_server,
    real_client,
    real_server,
    real_store,
    store,
)
