"""Records tick TICK of the first scenario of each rulebook in its present version, where that file isn't there yet."""

import sys
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import fakeredis
import msgspec

from tests.records.files import FOLDER, MUST_FAIL, TICK, file_of
from tests.service.pond import world
from workers.kernel.dice import Dice
from workers.kernel.entities import Slice
from workers.registry import Plugin, Registry, load_registry
from workers.rules.contract import Rulebook
from workers.service.access import Sender
from workers.service.campaigns import Campaigns
from workers.service.founding import CampaignPlan
from workers.service.orders import Submission

SEED = "9f2d4c1ab0e85d73" * 4
SPOILT = "veil"
FORGOTTEN = "Decayed"


def recorded(rulebook: Rulebook, *, count: int = TICK) -> bytes:
    """The archive's file of tick `count`, played with the rulebook's own sample of orders."""
    name = "kept"
    with tempfile.TemporaryDirectory() as folder:
        client = fakeredis.FakeRedis(server=fakeredis.FakeServer())
        made = world(client, Path(folder).as_uri(), rulebooks=Registry([Plugin(rulebook, "tests 0")]))
        made.face.founding.found(CampaignPlan(campaign=name, rulebook=rulebook.name, campaign_seed=SEED))
        made.face.lifecycle.move(name, "open")
        for tick in range(1, count + 1):
            for camp, orders in _sampled(made.services.campaigns, name, tick).items():
                made.face.desk.submit(Sender(camp, camp), name, Submission(tuple(orders)), f"tick {tick}")
            made.play(name)
        return Path(made.services.archive.path(name, count)).read_bytes()


def _sampled(campaigns: Campaigns, name: str, tick: int) -> Mapping[str, list[msgspec.Raw]]:
    campaign = campaigns.load(name)
    manifest = campaigns.manifest(name, campaign.head.manifest)
    shared = campaigns.shared(campaign, manifest)
    slices = campaigns.blobs(name, [ref.digest for ref in manifest.slices])
    homes = [campaign.engine.read_home(line) for data in slices for line in Slice.parse(data).lines.values()]
    dice = Dice(tick.to_bytes(32, "big"))
    found: dict[str, list[msgspec.Raw]] = {}
    for camp, _, order in campaign.rulebook.sample(homes, shared, campaign.settings, tick, dice):
        found.setdefault(camp, []).append(msgspec.Raw(msgspec.json.encode(order)))
    return found


def spoilt(rulebook: Rulebook) -> Rulebook:
    """The rulebook with one change of behaviour that its author forgot to give a version: an event changes no home."""
    return replace(rulebook, evolve={kind: how for kind, how in rulebook.evolve.items() if kind.__name__ != FORGOTTEN})


def main() -> int:
    """Record what is missing."""
    for name, plugin in load_registry().plugins.items():
        wanted = {file_of(FOLDER, name, plugin.rulebook.version): plugin.rulebook}
        if name == SPOILT:
            wanted[file_of(MUST_FAIL, name, plugin.rulebook.version)] = spoilt(plugin.rulebook)
        for path, rulebook in wanted.items():
            if not path.exists():
                path.write_bytes(recorded(rulebook))
                print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
