"""What a rule is: a name, a sentence, and a look at an overlay that tells for each thing it looked at what is wrong with it.
The rules themselves are kept out: they stand in pods, network, references, contradictions."""

from dataclasses import dataclass
from collections.abc import Callable


@dataclass(frozen=True)
class Rule:
    name: str
    sentence: str
    # Yields (thing looked at, problem or None): a rule that looked at nothing anywhere has proved nothing.
    look: Callable
    # Overlays that it is not for, each with the reason.
    but: dict


TABLE = []


def rule(name, sentence, but=None):
    """Puts a look into the table."""

    def put(look):
        TABLE.append(Rule(name, sentence, look, but or {}))
        return look

    return put


def differing(wanted, found):
    """The first thing in which two nested values differ, or None. What is found may hold more."""
    for key, value in wanted.items():
        has = found.get(key) if isinstance(found, dict) else None
        if isinstance(value, dict):
            if problem := differing(value, has or {}):
                return f"{key}.{problem}"
        elif has != value:
            return f"{key} is {has!r}, not {value!r}"
    return None
