"""Makes docs/demo.svg, the picture of the quickstart run; `make picture` runs it."""

from __future__ import annotations

import io
import re
from pathlib import Path

from rich.console import CONSOLE_SVG_FORMAT, Console

from steelyard import run_evals_sync
from steelyard.reports.terminal import print_run
from steelyard.runner.config import load_config

ROOT = Path(__file__).parents[1]
CONFIG = "examples/quickstart.yaml"


def offline(code_format: str) -> str:
    """Rich's format for SVG without the fonts that it would fetch."""
    without = re.sub(r"\s*@font-face \{\{.*?\}\}\n", "\n", code_format, flags=re.DOTALL)
    return without.replace("Fira Code, ", "")


def main() -> None:
    run = run_evals_sync(**load_config(ROOT / CONFIG))
    console = Console(record=True, width=100, file=io.StringIO(), highlight=False)
    print_run(run, console)
    svg = console.export_svg(
        title=f"steelyard run {CONFIG}", code_format=offline(CONSOLE_SVG_FORMAT)
    )
    (ROOT / "docs" / "demo.svg").write_text(svg, encoding="utf-8")


if __name__ == "__main__":
    main()
