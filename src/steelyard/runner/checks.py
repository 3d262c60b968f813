"""What is refused before a run starts, and what must not pass unnoticed when it ends."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from steelyard.core.errors import OptionError, RunError, nearest
from steelyard.core.fields import FieldRef
from steelyard.core.scorer import Scorer
from steelyard.runner.source import Item
from steelyard.stats import Gate


def checked_scorers(owner: str, scorers: Any) -> tuple[Scorer, ...]:
    """The scorers as a tuple; raises `OptionError` or `RunError` unless they can share a run."""
    if isinstance(scorers, Mapping | Scorer | str) or not isinstance(scorers, Iterable):
        raise OptionError(owner, "scorers", scorers, "a list of scorers")
    found = tuple(scorers)
    if not found:
        raise RunError("there are no scorers; a run without any would say nothing")
    for scorer in found:
        if not isinstance(scorer, Scorer):
            hint = f"; make one: {scorer.__name__}(...)" if isinstance(scorer, type) else ""
            raise OptionError(owner, "scorers", scorer, f"a list of scorers{hint}")
        scorer.steps()
    _check_ids([scorer.id for scorer in found])
    return found


def _check_ids(ids: Sequence[str]) -> None:
    twice = next((id for place, id in enumerate(ids) if id in ids[:place]), None)
    if twice is not None:
        raise RunError(f"two scorers have the id {twice!r}; give one of them another: id='...'")


def checked_gates(owner: str, gates: Any, scorers: Sequence[Scorer]) -> tuple[Gate, ...]:
    """The gates as a tuple; raises `OptionError` unless each is about a scorer that is there."""
    if isinstance(gates, str | Gate) or not isinstance(gates, Iterable):
        raise OptionError(owner, "gates", gates, "a list of gate(...)")
    found = tuple(gates)
    by_id = {scorer.id: scorer for scorer in scorers}
    for gate in found:
        if not isinstance(gate, Gate):
            raise OptionError(owner, "gates", gate, 'a list of gate("scorer id", "condition")')
        if gate.scorer_id is not None:
            _check_gate(owner, gate, gate.scorer_id, by_id)
    return found


def _check_gate(owner: str, gate: Gate, scorer_id: str, by_id: Mapping[str, Scorer]) -> None:
    if scorer_id not in by_id:
        allowed = f"about one of {', '.join(map(repr, by_id))}{nearest(scorer_id, by_id)}"
        raise OptionError(owner, "gate", str(gate), allowed)
    low, high = sorted((by_id[scorer_id].best, by_id[scorer_id].worst))
    if gate.is_on_the_scale and not low <= gate.bound <= high:
        allowed = f"with a bound from {low:g} to {high:g}, the scale of {scorer_id!r}"
        raise OptionError(owner, "gate", str(gate), allowed)
    if gate.needs_threshold and by_id[scorer_id].threshold is None:
        allowed = f"about a scorer with a threshold, which {scorer_id!r} has not"
        raise OptionError(owner, "gate", str(gate), allowed)


class NeededFields:
    """The case fields that scorers need and that no case has had so far."""

    def __init__(self, scorers: Sequence[Scorer], given: Iterable[str] = ()) -> None:
        self._unseen: dict[str, tuple[FieldRef, ...]] = {}
        self._needed_by: dict[str, str] = {}
        self._items = self._cases = 0
        for scorer in scorers:
            for need in scorer.spec.needs:
                either = tuple(map(FieldRef, need.split("|")))
                if not any(ref.path in given for ref in either):
                    self._unseen[need] = either
                    self._needed_by.setdefault(need, scorer.id)

    def see(self, item: Item) -> None:
        self._items += 1
        if item.broken is not None:
            return
        self._cases += 1
        if self._unseen:
            case = item.case
            self._unseen = {
                need: either
                for need, either in self._unseen.items()
                if not any(ref.present(case) for ref in either)
            }

    def problem(self) -> str | None:
        """What makes the run say nothing: no case at all, or a field that no case has; or None."""
        if not self._items:
            return "there are no cases; a run over none would say nothing"
        if not self._unseen or not self._cases:
            return None
        need = next(iter(self._unseen))
        return (
            f"no case has {need.replace('|', ' or ')}, which scorer"
            f" {self._needed_by[need]!r} needs; check its name, or map a column to it"
        )
