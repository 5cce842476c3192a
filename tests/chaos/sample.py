"""The orders of a load: the rulebook's own samples for a campaign's open tick, made from its state."""

from typing import Any

import msgspec

from workers.bootstrap import Services
from workers.kernel.dice import Dice
from workers.kernel.digest import sha256_hex
from workers.kernel.entities import Slice


def sample(services: Services, name: str, tick: int) -> dict[str, list[Any]]:
    """Plain orders by camp, the same for the same campaign, state and tick.

    Raises MissingBlob where the state is being replaced, and redis-py's errors where the server is away.
    """
    campaign = services.campaigns.load(name)
    manifest = services.campaigns.manifest(name, campaign.head.start_manifest)
    shared = services.campaigns.shared(campaign, manifest)
    slices = services.campaigns.blobs(name, [ref.digest for ref in manifest.slices])
    homes = [campaign.engine.read_home(line) for data in slices for line in Slice.parse(data).lines.values()]
    dice = Dice(bytes.fromhex(sha256_hex(f"{name}/{tick}".encode())))
    found: dict[str, list[Any]] = {camp: [] for camp in campaign.head.camps}
    for camp, _, order in campaign.rulebook.sample(homes, shared, campaign.settings, tick, dice):
        found[camp].append(msgspec.to_builtins(order))
    return found
