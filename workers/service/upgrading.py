"""Moving a campaign to the version of its rulebook that this process has: by the operator's word, never by itself.

Nothing that was published changes. A tick that is being resolved starts again under the new rules, in a new epoch, on
the same seed: nothing of it was told to anybody.
"""

from typing import Any, Final

import msgspec

from workers.kernel.digest import canonical
from workers.kernel.engine import Engine
from workers.kernel.entities import Slice
from workers.kernel.errors import InvalidInput, TocsinError
from workers.rules.contract import Rulebook
from workers.service.backup import acted, hint
from workers.service.campaigns import Campaigns, UnknownCampaign
from workers.store import Store
from workers.store.backup import compare_and_write
from workers.store.keys import Keys
from workers.store.records import Act, Head

TRIES_MAX: Final = 20
"""Times that everything is read again because an order or a tick came between."""


class NotUpgradable(TocsinError):
    """The campaign can't go on under the rulebook that this process has, as it stands."""


class Upgraded(msgspec.Struct, frozen=True):
    """The rulebook's version and fingerprint before and after; `changed` is false where it was so already. `restarted`
    is the tick that starts again, None where none was being resolved."""

    before: str
    after: str
    changed: bool
    restarted: int | None = None


class Upgrading:
    """Upgrades campaigns of a store."""

    def __init__(self, store: Store, campaigns: Campaigns) -> None:
        self._store = store
        self._campaigns = campaigns

    def upgrade(self, name: str) -> Upgraded:
        """Upgrade a campaign, if all that it has can be read by the new version: settings, state and booked orders.

        Raises UnknownCampaign, NotUpgradable, and InvalidInput for a rulebook that isn't installed.
        """
        for _ in range(TRIES_MAX):
            head = self._store.heads.get(name)
            if head is None:
                raise UnknownCampaign(f"no campaign {name!r}")
            rulebook = self._campaigns.rulebook(head.rulebook)
            before = _named(head.rulebook_version, head.fingerprint)
            after = _named(rulebook.version, rulebook.fingerprint())
            if head.fingerprint == rulebook.fingerprint():
                return Upgraded(before, after, changed=False)
            _check_status(head)
            versions = self._versions(head)
            settings = self._readable(head, rulebook, self._campaigns.engine(head.rulebook))
            if self._write(head, versions, self._fields(head, rulebook, settings, before, after)):
                present = self._store.heads.get(name)
                if present is not None:
                    hint(self._store, present)
                return Upgraded(before, after, changed=True, restarted=head.resolving)
        raise NotUpgradable(f"campaign {name}: it moved on {TRIES_MAX} times meanwhile; pause it, and try again")

    def _versions(self, head: Head) -> list[int]:
        """How often each book changed that the next ticks play."""
        return [self._store.intake.counts(head.campaign, tick).version for tick in _ticks(head)]

    def _readable(self, head: Head, rulebook: Rulebook, engine: Engine) -> str:
        """The settings as the new version writes them; everything else is read too. Raises NotUpgradable."""
        if head.camps != rulebook.camps:
            raise NotUpgradable(f"campaign {head.campaign}: its camps are {head.camps}, the new ones {rulebook.camps}")
        where = "settings"
        try:
            settings = msgspec.json.decode(head.settings, type=rulebook.settings)
            manifest = self._campaigns.manifest(head.campaign, head.start_manifest)
            where = "shared state"
            engine.read_shared(self._campaigns.blobs(head.campaign, [manifest.shared])[0])
            for ref in manifest.slices:
                piece = Slice.parse(self._campaigns.blobs(head.campaign, [ref.digest])[0])
                for where, line in piece.lines.items():  # noqa: B007 what was being read is told
                    engine.read_home(line)
            for tick in _ticks(head):
                where = f"orders of tick {tick}"
                for packed in self._store.intake.read_slices(head.campaign, tick, range(head.slices)):
                    for data in packed:
                        engine.packing.unpack(data)
        except (msgspec.MsgspecError, InvalidInput, ValueError, IndexError) as error:
            name = f"{rulebook.name} {rulebook.version}"
            raise NotUpgradable(f"campaign {head.campaign}: {name} can't read its {where}: {error}") from error
        return canonical(settings).decode()

    def _fields(self, head: Head, rulebook: Rulebook, settings: str, before: str, after: str) -> dict[str, str]:
        now_ms = self._store.heads.server_time_ms()
        tick = head.open_tick if head.resolving is None else head.resolving
        fields = {
            "rulebook_version": rulebook.version,
            "fingerprint": rulebook.fingerprint(),
            "settings": settings,
            "steps": str(len(self._campaigns.engine(rulebook.name).steps)),
        }
        if head.resolving is not None:
            fields |= {
                "tick_status": "resolving",
                "step": "0",
                "epoch": str(head.epoch + 1),
                "manifest": head.start_manifest,
                "failure": "",
                "step_started_ms": str(now_ms),
                "progress_ms": str(now_ms),
            }
        return fields | acted(head, Act("upgrade", tick, now_ms, before, after))

    def _write(self, head: Head, versions: list[int], fields: dict[str, str]) -> bool:
        keys = Keys(head.campaign)

        def same(_: Any) -> bool:
            return self._store.heads.get(head.campaign) == head and self._versions(head) == versions

        def write(transaction: Any) -> None:
            transaction.hset(keys.head, mapping=fields)

        return compare_and_write(self._store, (keys.head, *(keys.counts(tick) for tick in _ticks(head))), same, write)


def _ticks(head: Head) -> range:
    """The ticks whose books may have orders."""
    return range(head.published + 1, head.open_tick + 2)


def _named(version: str, fingerprint: str) -> str:
    return f"{version} ({fingerprint[:12]})"


def _check_status(head: Head) -> None:
    if head.tick_status == "resolved":
        raise NotUpgradable(
            f"campaign {head.campaign}: tick {head.resolving} is resolved under {head.rulebook_version} and not yet "
            f"published; let a worker of that version publish it first"
        )
    if head.archived < head.published:
        raise NotUpgradable(
            f"campaign {head.campaign}: tick {head.archived + 1} was played under {head.rulebook_version} and isn't "
            f"archived; let a worker of that version archive it first"
        )
