"""A local Ray whose workers find the package and these tests, and leave their names in a folder."""

from __future__ import annotations

import os
from pathlib import Path

import fastmj


def start(ray, workers_seen: Path, cpus: int) -> None:
    """Start it with so many cores."""
    paths = [str(Path(fastmj.__file__).parent.parent), str(Path(__file__).parent)]
    variables = {"PYTHONPATH": os.pathsep.join(paths), "FASTMJ_TEST_WORKERS": str(workers_seen)}
    ray.init(
        num_cpus=cpus,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": variables},
    )
