"""Runs the suite elsewhere: on other Pythons that are installed, or on the lowest versions allowed.

    python tests/other_environments.py 3.12 3.13
    python tests/other_environments.py --lowest

A Python that is not installed is skipped and named.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent


def find_python(version: str) -> str | None:
    """The path of an installed Python of this version, pyenv's included, or None."""
    candidates = [f"python{version}", *(str(p) for p in pyenv_pythons(version))]
    for candidate in candidates:
        found = shutil.which(candidate)
        if (
            found
            and subprocess.run([found, "-c", ""], capture_output=True, check=False).returncode == 0
        ):
            return found
    return None


def pyenv_pythons(version: str) -> list[Path]:
    root = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser()
    return sorted(root.glob(f"versions/{version}.*/bin/python"))


def lowest() -> list[str]:
    """The lower bounds of pyproject.toml as exact requirements."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    bounds = project["dependencies"] + project["optional-dependencies"]["test"]
    return [re.sub(r">=", "==", bound) for bound in bounds]


def run_suite(python: str, name: str, requirements: list[str]) -> int:
    folder = ROOT / f".venv-{name}"
    if not folder.exists():
        subprocess.run([python, "-m", "venv", folder], check=True)
    inside = folder / "bin" / "python"
    install = [inside, "-m", "pip", "--disable-pip-version-check", "install", "--quiet"]
    subprocess.run([*install, "--editable", f"{ROOT}[test]", *requirements], check=True)
    print(f"--- the suite on {name}", flush=True)
    return subprocess.run(
        [inside, "-m", "pytest", "-p", "no:cacheprovider"], cwd=ROOT, check=False
    ).returncode


def main(arguments: list[str]) -> int:
    if arguments == ["--lowest"]:
        return run_suite(sys.executable, "lowest", lowest())
    codes = []
    for version in arguments:
        python = find_python(version)
        if python is None:
            print(f"Python {version} is not installed; skipped")
        else:
            codes.append(run_suite(python, version, []))
    return max(codes, default=0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
