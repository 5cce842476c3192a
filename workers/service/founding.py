"""Founding a campaign: from a scenario and a seed to the first state, written whole or not at all."""

from collections.abc import Callable
from typing import Any, Final

import msgspec

from workers.kernel.dice import Dice
from workers.kernel.digest import canonical, sha256_hex
from workers.kernel.engine import Engine
from workers.kernel.entities import State, cut
from workers.kernel.errors import InvalidInput, invalid_from
from workers.kernel.ids import Ids, commitment, id_key, tick_seed
from workers.kernel.tick import TickInput, resolve
from workers.rules.contract import Rulebook
from workers.rules.resources import convert_scenario, parse_scenario, scenario_text
from workers.service.campaigns import Campaigns
from workers.service.deadlines import check_schedule
from workers.service.problems import Problem
from workers.service.records import EMPTY_PAGE, blob, encoded, manifest_of
from workers.store import Store
from workers.store.errors import InvalidName, InvalidRequest
from workers.store.keys import CAMPAIGN_PATTERN, GROUPS_MAX, SLICES_MAX, check_campaign
from workers.store.records import SEED_BYTES, NewCampaign, Policy, Schedule

HOMES_A_GROUP: Final = 64
HOMES_A_SLICE: Final = 512
SLICES_LEAST: Final = 4
"""A page never spans two slices, so many of them for few homes are many pages of few facts; and a tick has at most as
many shards as slices, so a campaign that may grow has some."""
SIZE_MAX: Final = 1_000_000


class Generate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A scenario made by the rulebook: about `size` homes; the same `seed` makes the same scenario."""

    size: int
    seed: str | int = "tocsin"


class CampaignPlan(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a campaign is founded from.

    `scenario` is the name of one that ships (empty: the rulebook's first), `{"generate": {"size", "seed"}}`, or a whole
    scenario as plain data; `settings` override the scenario's. `campaign_seed` is 64 hexadecimal digits, empty to draw
    one. `slices` is a power of two up to 256 (0: by the number of homes, and no fewer than `shards`), `shards` fixes
    the shards of a tick (0: by its orders), a tick of fewer than `fuse_below` orders is one task.
    """

    campaign: str
    rulebook: str
    scenario: str | dict[str, Any] = ""
    settings: dict[str, Any] = {}
    schedule: Schedule = Schedule()
    policy: Policy = Policy()
    campaign_seed: str = ""
    slices: int = 0
    shards: int = 0
    fuse_below: int = 2_000
    min_open_s: int = 0
    retain_ticks: int = 100

    def __repr__(self) -> str:
        """Without the seed: representations end in logs."""
        return f"<CampaignPlan {self.campaign} {self.rulebook}>"

    def __rich_repr__(self) -> list[tuple[str, str]]:
        """The same for rich, which prints tracebacks with their values."""
        return [("campaign", self.campaign), ("rulebook", self.rulebook)]


class Founded(msgspec.Struct, frozen=True):
    """What a founding did: `created` is false where this very creation was done before."""

    campaign: str
    created: bool


def generation_dice(seed: str | int) -> Dice:
    """The dice that a scenario is generated from, by any text or number."""
    return Dice(bytes.fromhex(sha256_hex(f"tocsin/generate/{seed}".encode())))


def read_scenario(rulebook: Rulebook, given: str | dict[str, Any], settings: dict[str, Any]) -> Any:
    """The scenario that a plan asks for, its settings overridden.

    Raises InvalidInput naming the field, what was wrong and what would be accepted.
    """
    scenario: Any
    if isinstance(given, str):
        scenario = parse_scenario(rulebook, scenario_text(rulebook, given or rulebook.scenarios[0]))
    elif "generate" in given:
        wanted = _generate(given)
        scenario = rulebook.generate(wanted.size, generation_dice(wanted.seed))
    else:
        scenario = convert_scenario(rulebook, given)
    if not settings:
        return scenario
    plain = {**msgspec.to_builtins(scenario.settings), **settings}
    unknown = sorted(settings.keys() - set(rulebook.settings.__struct_fields__))
    if unknown:
        accepted = ", ".join(rulebook.settings.__struct_fields__)
        raise InvalidInput(f"settings.{unknown[0]}", "unknown setting", accepted)
    try:
        chosen = msgspec.convert(plain, rulebook.settings)
    except msgspec.ValidationError as error:
        raise invalid_from(error, "settings") from error
    return msgspec.structs.replace(scenario, settings=chosen)


def _generate(given: dict[str, Any]) -> Generate:
    if set(given) != {"generate"}:
        raise InvalidInput("scenario", "has more than `generate`", "{'generate': {'size', 'seed'}} alone")
    try:
        wanted = msgspec.convert(given["generate"], Generate)
    except msgspec.ValidationError as error:
        raise invalid_from(error, "scenario.generate") from error
    if not 1 <= wanted.size <= SIZE_MAX:
        raise InvalidInput("scenario.generate.size", f"{wanted.size} homes", f"1..{SIZE_MAX}")
    return wanted


class Founding:
    """Founds campaigns in a store. `entropy` gives random bytes, for seeds that nobody chose."""

    def __init__(self, store: Store, campaigns: Campaigns, entropy: Callable[[int], bytes]) -> None:
        self._store = store
        self._campaigns = campaigns
        self._entropy = entropy

    def found(self, plan: CampaignPlan, creation_key: str = "") -> Founded:
        """Found a campaign, as a draft. The same plan under the same creation key founds it once.

        Raises InvalidInput for a plan that can't be understood, and Problem where the name or the key is taken.
        """
        self._check(plan)
        key = sha256_hex(creation_key.encode()) if creation_key else self._entropy(SEED_BYTES).hex()
        digest = sha256_hex(canonical(msgspec.to_builtins(plan)))
        head = self._store.heads.get(plan.campaign)
        if head is not None and head.creation_key != key:
            raise _taken(plan.campaign)
        if head is None:
            seed = bytes.fromhex(plan.campaign_seed) if plan.campaign_seed else self._entropy(SEED_BYTES)
            new = new_campaign(self._campaigns.engine(plan.rulebook), plan, seed, key, digest)
            outcome = self._store.heads.create(new, seed=seed).outcome
        else:
            outcome = "same" if head.creation_digest == digest else "conflict"
        if outcome == "conflict":
            raise Problem(
                "idempotency_conflict",
                f"The key was used to create campaign {plan.campaign!r} from another body.",
            )
        if outcome == "exists":
            raise _taken(plan.campaign)
        return Founded(plan.campaign, outcome == "created")

    def _check(self, plan: CampaignPlan) -> None:
        try:
            check_campaign(plan.campaign)
        except InvalidName as error:
            raise InvalidInput("campaign", f"{plan.campaign!r} is no campaign id", CAMPAIGN_PATTERN) from error
        check_schedule(plan.schedule)
        for field, value, least, most in (
            ("slices", plan.slices, 0, SLICES_MAX),
            ("shards", plan.shards, 0, SLICES_MAX),
            ("fuse_below", plan.fuse_below, 0, 1 << 31),
            ("min_open_s", plan.min_open_s, 0, 1 << 31),
            ("retain_ticks", plan.retain_ticks, 1, 1 << 31),
        ):
            if not least <= value <= most:
                raise InvalidInput(field, f"{value} is out of bounds", f"{least}..{most}")
        if plan.slices & (plan.slices - 1):
            raise InvalidInput("slices", f"{plan.slices} is no power of two", "0, 1, 2, 4, … 256")
        if plan.campaign_seed and not _is_seed(plan.campaign_seed):
            raise InvalidInput("campaign_seed", "it is no seed", "64 hexadecimal digits, or nothing to draw one")


def _is_seed(text: str) -> bool:
    return len(text) == 2 * SEED_BYTES and set(text) <= set("0123456789abcdefABCDEF")


def _taken(name: str) -> Problem:
    return Problem("campaign_exists", f"There is a campaign {name!r} already.")


def new_campaign(engine: Engine, plan: CampaignPlan, seed: bytes, key: str, digest: str) -> NewCampaign:
    """All that a campaign consists of at first: tick 0, the set-up, is resolved here, with its own dice.

    Raises InvalidInput naming the scenario's or the plan's field.
    """
    rulebook: Any = engine.rules
    scenario = read_scenario(rulebook, plan.scenario, plan.settings)
    ids = Ids(id_key(seed))
    state: State[Any] = rulebook.found(scenario, ids)
    slices = plan.slices or _power(max(len(state.homes) // HOMES_A_SLICE, plan.shards), SLICES_LEAST, SLICES_MAX)
    given = TickInput(
        tick=0,
        tick_seed=tick_seed(seed, 0),
        id_key=ids.key,
        settings=scenario.settings,
        shared=canonical(state.shared),
        slices=[piece.to_bytes() for piece in cut(state.homes.items(), slices)],
    )
    result = resolve(engine, given)
    blobs: dict[str, bytes] = {}
    manifest = blob(encoded(manifest_of(result.shared, result.slices, blobs)), blobs)
    hashes = [commitment(tick_seed(seed, tick)) for tick in range(4)]
    try:
        return NewCampaign(
            campaign=plan.campaign,
            rulebook=rulebook.name,
            rulebook_version=rulebook.version,
            fingerprint=rulebook.fingerprint(),
            camps=rulebook.camps,
            steps=len(engine.steps),
            id_key=ids.key.hex(),
            commitments=(hashes[0], hashes[1], hashes[2]),
            staged_commitment=hashes[3],
            manifest=manifest,
            blobs=blobs,
            pages={camp: result.pages[camp] or [EMPTY_PAGE] for camp in rulebook.camps},
            record={"digest": result.digest, "orders": "0"},
            settings=canonical(scenario.settings).decode(),
            schedule=plan.schedule,
            policy=plan.policy,
            slices=slices,
            groups=_power(len(state.homes) // HOMES_A_GROUP, 1, GROUPS_MAX),
            shards=plan.shards,
            fuse_below=plan.fuse_below,
            min_open_s=plan.min_open_s,
            retain_ticks=plan.retain_ticks,
            creation_key=key,
            creation_digest=digest,
        )
    except InvalidRequest as error:
        raise InvalidInput("campaign", str(error)) from error


def _power(wanted: int, least: int, most: int) -> int:
    """The power of two nearest above `wanted`, within bounds that are powers of two."""
    return max(least, min(1 << max(wanted - 1, 0).bit_length(), most))
