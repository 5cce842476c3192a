"""The Veil: angels against demons for a city's zones, on the d666. Clauses V1–V36.

Where to find a clause:

- what is fixed and what is a setting (V3, V8, V10, V13): `tables`, `settings`;
- what there is (V1, V2, V4–V7): `entities`; the six orders (V8): `orders`;
- what happens, and who reads it (V34): `events`; how it changes what there is: `evolve`;
- the roll (V11–V15): `roll`; the influence that it brings (V16–V18, V22, V24): `influence`;
- the tick (V29): `phases`, a module a phase, put together in `phases.table`;
- what a camp knows (V34), what it may order (V9, V22, V23, V36), and with what odds: `see`, `check`, `odds`;
- how a campaign starts and ends (V35): `scenario`, `generate`, `rulebook`.
"""

from workers.rules.veil.rulebook import RULEBOOK

__all__ = ["RULEBOOK"]
