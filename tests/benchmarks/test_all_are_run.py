from __future__ import annotations

from running import REPOSITORY
from tests.benchmarks.test_every_benchmark import RUNS


def test_no_benchmark_is_left_out_of_what_runs_them_all() -> None:
    scripts = (REPOSITORY / "benchmarks").glob("*.py")
    commands = {script.name for script in scripts if '__name__ == "__main__"' in script.read_text()}
    assert commands == set(RUNS)
