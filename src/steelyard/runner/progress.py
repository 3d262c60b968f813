"""A progress bar on a terminal, and none elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from steelyard.core.errors import OptionError

Report = Callable[[int, int | None], None]


def checked_progress(owner: str, progress: Any) -> Report | None:
    """What to call with (done, total or None), or None for nothing."""
    if isinstance(progress, bool):
        return _Bar() if progress and sys.stderr.isatty() else None
    if not callable(progress):
        raise OptionError(owner, "progress", progress, "True, False or a function of (done, total)")
    report: Report = progress
    return report


class _Bar:
    """Draws on standard error, at most ten times a second, and clears itself at the end."""

    def __init__(self) -> None:
        from rich.console import Console  # loaded by those who look at a bar
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

        columns = (BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self._task = self._progress.add_task("", total=None)

    def __call__(self, done: int, total: int | None) -> None:
        if not self._progress.live.is_started:
            self._progress.start()
        self._progress.update(self._task, completed=done, total=total)

    def close(self) -> None:
        self._progress.stop()


def close(report: Report | None) -> None:
    """Take a bar of ours off the terminal."""
    if isinstance(report, _Bar):
        report.close()
