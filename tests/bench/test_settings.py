from pathlib import Path

import pytest

from bench import settings


def test_folders_are_the_operating_systems_own_unless_moved() -> None:
    default = settings.load({})
    moved = settings.load({"BENCH_ANALYZE_CACHE": "/floor/cache", "BENCH_ANALYZE_DATA": "/floor/data"})
    assert default.cache.name == default.data.name == "bench-analyze"
    assert (moved.cache, moved.data, moved.receipts) == (
        Path("/floor/cache"),
        Path("/floor/data"),
        Path("/floor/data/receipts"),
    )


@pytest.mark.parametrize(
    ("environment", "color"),
    [({}, True), ({"NO_COLOR": ""}, False), ({"TERM": "dumb"}, False), ({"TERM": "xterm"}, True)],
)
def test_colour_follows_no_color(environment: dict[str, str], color: bool) -> None:
    assert settings.load(environment).color is color
