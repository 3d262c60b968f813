"""An `evals.yaml`: what to run, read and checked with the file, line and key of each mistake."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import MISSING, fields
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from steelyard.core.case import EvalTestCase
from steelyard.core.errors import ConfigError, SteelyardError, nearest, shown
from steelyard.files import read_cases
from steelyard.files.yaml12 import Place, YamlDocument, load_yaml
from steelyard.runner.checks import NeededFields, checked_gates, checked_scorers
from steelyard.runner.source import Cases
from steelyard.specs import from_mapping
from steelyard.stats import gate
from steelyard.targets import CommandTarget, HttpTarget, OpenAIChat, Recorded

NUMBERS = {"concurrency": int, "timeout": float, "retries": int, "repeats": int}
KEYS = ("name", "target", "data", "scorers", "gates", *NUMBERS)
REQUIRED = ("target", "data", "scorers")
DATA_KEYS = ("file", "format", "map")
TARGETS: dict[str, type] = {
    "openai_chat": OpenAIChat,
    "http": HttpTarget,
    "command": CommandTarget,
}
TARGET_KEYS = ("recorded", "python", *TARGETS)


def load_config(path: str | Path) -> dict[str, Any]:
    """The arguments of `run_evals` that a YAML file stands for.

    Paths in it are relative to the file. Raises `ConfigError` with file, line and key.
    """
    file = Path(path)
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as problem:
        raise ConfigError(f"cannot be read: {problem.strerror}", str(path)) from None
    except UnicodeDecodeError as problem:
        raise ConfigError(f"not UTF-8 at byte {problem.start}", str(path)) from None
    return _Config(load_yaml(text, str(path)), file).arguments()


class _Config:
    """One document, and the way from a mistake to its line."""

    def __init__(self, document: YamlDocument, file: Path) -> None:
        self._document, self._file = document, file

    def arguments(self) -> dict[str, Any]:
        value = self._mapping(self._document.value, (), KEYS)
        for key in REQUIRED:
            if key not in value:
                self._fail((), f"{key!r} is missing; there must be {', '.join(REQUIRED)}")
        read: dict[str, Callable[[Any], Any]] = {
            "name": self._name,
            "target": self._target,
            "data": self._data,
            "scorers": lambda entries: self._each("scorers", entries, from_mapping),
            "gates": lambda entries: self._each("gates", entries, _gate),
        }
        arguments = {key: read[key](part) for key, part in value.items() if key in read}
        self._check_together(arguments["scorers"], arguments.get("gates", []))
        self._check_data(arguments)
        numbers = {key: self._number(key, value[key]) for key in NUMBERS if key in value}
        return arguments | numbers

    # --- the parts -----------------------------------------------------------------------

    def _name(self, value: Any) -> str:
        if not isinstance(value, str):
            self._fail(("name",), f"is {shown(value)}; it must be a text")
        return value

    def _number(self, key: str, value: Any) -> Any:
        whole = NUMBERS[key] is int
        right = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        least = 0 if key == "retries" else 1 if whole else 0
        if not right or not least <= value < math.inf or (key == "timeout" and value == 0):
            kind = f"a whole number, {least} or more" if whole else "seconds above 0"
            self._fail((key,), f"is {shown(value)}; it must be {kind}")
        return value

    def _each(self, key: str, entries: Any, read: Callable[[Any], Any]) -> list[Any]:
        if not isinstance(entries, list):
            self._fail((key,), f"is {shown(entries)}; it must be a list")
        found = []
        for place, entry in enumerate(entries):
            with self._at((key, place)):
                found.append(read(entry))
        return found

    def _check_together(self, scorers: list[Any], gates: list[Any]) -> None:
        """What the runner would refuse, refused while the lines are known."""
        with self._at(("scorers",)):
            checked_scorers("run", scorers)
        for place, found in enumerate(gates):
            with self._at(("gates", place)):
                checked_gates("run", [found], scorers)

    def _check_data(self, arguments: dict[str, Any]) -> None:
        """Cases that cannot share a run, and fields that scorers need and no case has."""
        cases, items = Cases(), []
        for place, case in enumerate(arguments["data"]):
            with self._at(
                ("data", place) if ("data", place) in self._document.lines else ("data",)
            ):
                items.append(cases.item(case))
        if not items:
            self._fail(("data",), "there are no cases; a run over none would say nothing")
        target = arguments["target"]
        recorded = isinstance(target, Recorded) and target.cases is None
        for place, scorer in enumerate(arguments["scorers"]):
            needed = NeededFields([scorer], () if recorded else ("actual_output",))
            for item in items:
                needed.see(item)
            if needed.problem() is not None:
                self._fail(("scorers", place), str(needed.problem()))

    def _data(self, value: Any) -> list[Any]:
        if isinstance(value, list):
            return self._each("data", value, EvalTestCase.from_dict)
        given = {"file": value} if isinstance(value, str) else value
        options = self._mapping(given, ("data",), DATA_KEYS)
        if not isinstance(options.get("file"), str):
            self._fail(("data",), "must be a file, {file: …, format: …, map: …} or a list of cases")
        with self._at(("data",)):
            return list(
                read_cases(
                    self._path(options["file"]),
                    format=options.get("format"),
                    mapping=options.get("map"),
                )
            )

    def _target(self, value: Any) -> Any:
        if value == "recorded":
            return Recorded()
        if not isinstance(value, Mapping) or len(value) != 1:
            names = "recorded, or one of {recorded: …}, {python: …}, "
            self._fail(("target",), f"must be {names}{', '.join(f'{{{t}: …}}' for t in TARGETS)}")
        [(kind, options)] = self._mapping(value, ("target",), TARGET_KEYS).items()
        with self._at(("target", kind)):
            if kind == "recorded":
                return Recorded(list(read_cases(self._path(str(options)))))  # type: ignore[arg-type]  # strict reading gives cases only
            if kind == "python":
                return self._import(options)
            if kind == "command" and isinstance(options, list):
                return CommandTarget(options)
            return self._built(TARGETS[kind], kind, options)

    def _built(self, cls: type, kind: str, options: Any) -> Any:
        known = {f.name: f for f in fields(cls) if f.init}
        given = self._mapping(options, ("target", kind), tuple(known))
        for name, option in known.items():
            required = option.default is MISSING and option.default_factory is MISSING
            if required and name not in given:
                self._fail(("target", kind), f"{name!r} is missing")
        return cls(**given)

    def _import(self, reference: Any) -> Any:
        """The object at `module:name`, looked for in the working directory too."""
        module, _, name = str(reference).partition(":")
        if not module or not name:
            self._fail(("target", "python"), f"is {shown(reference)}; it must be module:name")
        if "" not in sys.path:
            sys.path.insert(0, "")
        try:
            found: Any = import_module(module)
            for part in name.split("."):
                found = getattr(found, part)
        except Exception as problem:  # noqa: BLE001  # a module may raise anything
            said = f"{type(problem).__name__}: {problem}"
            self._fail(("target", "python"), f"cannot be imported: {said}")
        return found

    # --- mistakes ------------------------------------------------------------------------

    def _path(self, path: str) -> str:
        return path if path == "-" else str(self._file.parent / path)

    def _mapping(self, value: Any, place: Place, known: tuple[str, ...]) -> Mapping[str, Any]:
        if not isinstance(value, Mapping):
            self._fail(place, f"is {shown(value)}; it must be a mapping of {', '.join(known)}")
        for key in value:
            if key not in known:
                hint = nearest(str(key), known) or f"; there are {', '.join(known)}"
                self._fail((*place, key), f"unknown key{hint}")
        return dict(value)

    @contextmanager
    def _at(self, place: Place) -> Iterator[None]:
        """Give an error from deeper down the line and key it came from."""
        try:
            yield
        except ConfigError:
            raise
        except SteelyardError as wrong:
            self._fail(self._nearest_place(place, wrong), str(wrong))

    def _nearest_place(self, place: Place, wrong: SteelyardError) -> Place:
        """The place of a wrong option inside, or of a key that is itself what is wrong."""
        inside = [p for p in self._document.lines if p[: len(place)] == place and p != place]
        named = (getattr(wrong, "option", None), getattr(wrong, "value", None))
        return next((p for name in named for p in inside if p[-1] == name), place)

    def _fail(self, place: Place, problem: str) -> NoReturn:
        line = self._document.lines.get(place)
        key = ".".join(map(str, place)) or None
        raise ConfigError(problem, str(self._file), line, key)


def _gate(entry: Any) -> Any:
    if isinstance(entry, Mapping) and len(entry) == 1:
        [(scorer, condition)] = entry.items()
        return gate(str(scorer), condition)
    return gate(entry)
