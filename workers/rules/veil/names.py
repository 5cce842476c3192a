"""Names of servants, zones and Superiors: what a scenario or an amendment may call them."""

import unicodedata
from typing import Annotated

import msgspec

NAME_LENGTH = 64
Name = Annotated[str, msgspec.Meta(min_length=1, max_length=NAME_LENGTH)]

ACCEPTED = f"1 to {NAME_LENGTH} characters in Unicode form NFC, none of them '/', '#' or a control character"


def is_name(text: str) -> bool:
    """Whether a text can name an entity: see `ACCEPTED`."""
    if not 1 <= len(text) <= NAME_LENGTH or unicodedata.normalize("NFC", text) != text:
        return False
    return not any(character in "/#" or unicodedata.category(character) in ("Cc", "Cs") for character in text)
