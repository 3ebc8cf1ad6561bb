"""Fixture of games for tests of compiled forms."""

import pytest

from tests.conftest import compiled

GAMES = [
    ("kuhn", {}),
    ("kuhn", {"players": 3}),
    ("goofspiel", {"cards": 3}),
    ("leduc", {}),
    ("liars_dice", {"sides": 3}),
]


@pytest.fixture(scope="package", params=GAMES, ids=str)
def tree(request):
    name, parameters = request.param
    return compiled(name, **parameters)
