"""`tocsin odds`: the exact odds of a bundle's orders, on what the camp of each knows."""

from collections.abc import Iterator
from typing import Annotated, Any

import typer

from workers.cli.dangling import dangling
from workers.cli.errors import CheckFailed
from workers.cli.options import AsJson
from workers.cli.output import print_json, table
from workers.cli.resolve import load
from workers.kernel.entities import View
from workers.kernel.errors import InvalidInput
from workers.kernel.events import tag_of
from workers.kernel.odds import Odds
from workers.kernel.orders import Booked
from workers.rules.bundle import Loaded
from workers.rules.contract import view_of

app = typer.Typer(add_completion=False)


@app.command()
def odds(
    bundle: Annotated[str, typer.Argument(metavar="BUNDLE", help="A bundle's file, or - for standard input.")],
    as_json: AsJson = False,
) -> None:
    """Say the odds of each order of a bundle: what its camp could know before the tick."""
    loaded = load(bundle)
    found = [(booked, one) for booked, one in all_odds(loaded, bundle)]
    if as_json:
        print_json({"orders": [odds_document(booked, one) for booked, one in found]})
        return
    rows = [
        (
            booked.id,
            tag_of(type(booked.order)),
            one.success if one.success is not None else f"unknown: {one.missing}",
            ", ".join(f"{name} {chance}" for name, chance in one.outcomes.items()),
            ", ".join(f"{term.name} {term.value:+d}" for term in one.terms),
            one.basis,
        )
        for booked, one in found
    ]
    table("", ("order", "kind", "success", "outcomes", "terms", "basis"), rows)


def all_odds(loaded: Loaded, name: str) -> Iterator[tuple[Booked[Any, Any], Odds]]:
    """Each order of a bundle with its odds.

    Raises InvalidInput where the bundle names what it doesn't have, CheckFailed where the rulebook raises else.
    """
    rulebook = loaded.rulebook
    for booked in loaded.given.orders:
        try:
            answer = rulebook.odds(booked.order, _known(loaded, booked))
        except Exception as error:
            if (unfit := dangling(loaded, error)) is not None:
                raise InvalidInput(f"{name}: {unfit.field}", unfit.problem, unfit.accepted) from error
            problem = f"{type(error).__name__}: {error}"
            raise CheckFailed(f"{name}: the odds of order {booked.id} can't be told: {problem}") from error
        yield booked, answer


def _known(loaded: Loaded, booked: Booked[Any, Any]) -> View[Any, Any, Any]:
    """What the order's camp knows of what the order is about."""
    rulebook, given, state = loaded.rulebook, loaded.given, loaded.state
    reads = rulebook.reads(booked.order)
    homes = {key: state.homes.get(key) for key in reads.homes}
    others = {key: _booked_beside(loaded, booked, key) for key in reads.booked}
    known = {key: orders for key, orders in others.items() if orders}
    return view_of(rulebook, booked.camp, given.tick, given.settings, state.shared, homes, known)


def _booked_beside(loaded: Loaded, booked: Booked[Any, Any], home: str) -> tuple[Booked[Any, Any], ...]:
    """The other orders of the same camp that are played at a home."""
    return tuple(
        other
        for other in loaded.given.orders
        if other.home == home and other.camp == booked.camp and other.id != booked.id
    )


def odds_document(booked: Booked[Any, Any], one: Odds) -> dict[str, Any]:
    """The odds of an order as `--json` prints them."""
    document: dict[str, Any] = {
        "id": booked.id,
        "kind": tag_of(type(booked.order)),
        "success": one.success,
        "outcomes": one.outcomes,
        "terms": [{"name": term.name, "value": term.value} for term in one.terms],
        "basis": one.basis,
    }
    if one.missing:
        document["missing"] = one.missing
    if one.effects:
        document["effects"] = one.effects
    return document
