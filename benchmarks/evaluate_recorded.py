"""100 000 recorded cases (60 characters a text) with both scorers through `evaluate`.

    python benchmarks/evaluate_recorded.py [cases ...]

Prints processor seconds, peak memory, and how the cost of a case changes with their number:
a runner whose every case costs more than the one before shows it here.
"""

from __future__ import annotations

import random
import resource
import subprocess
import sys
import time

WORDS = """
answer question paris france model language water planet year city large small
первый красный вода город ответ schön straße café été 东京 天气
""".split()  # noqa: SIM905  # a list of quoted words would hide them


def cases(count: int) -> list[dict[str, object]]:
    chosen = random.Random(7)

    def text() -> str:
        return " ".join(chosen.choices(WORDS, k=12))[:60]

    names = ("input", "actual_output", "expected_output")
    return [{name: text() for name in names} for _ in range(count)]


def measure(count: int) -> None:
    from steelyard import evaluate_sync
    from steelyard.metrics import ContainsMetric, ContentSimilarityMetric

    data = cases(count)
    contains = ContainsMetric(keywords=["paris", "Straße", "красный"], case_sensitive=False)
    before = time.process_time()
    run = evaluate_sync(data, [ContentSimilarityMetric(), contains])
    seconds = time.process_time() - before
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    assert len(run.results) == count
    each = seconds / count * 1e6
    print(f"{count:>8} cases {seconds:7.2f} s {each:7.1f} µs a case {memory:6.0f} MB")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        measure(int(sys.argv[2]))
    else:
        for size in map(int, sys.argv[1:] or ("10000", "25000", "50000", "100000")):
            # A process each, so that peak memory is that of one size.
            subprocess.run([sys.executable, __file__, "--one", str(size)], check=True)
