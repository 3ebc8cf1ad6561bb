"""Reduced games of Koi-Koi, solved. Figures: docs/koikoi.md."""

import pytest

import tefuda as td
from tefuda.koikoi.reduced import mini8, mini12, minikoi


def test_by_name():
    assert td.load_game("koikoi", preset="koikoi_japan", double_at=7).rules.payment.double_at == 7
    assert td.load_game("mini12", merged=True).name == "mini12"
    with pytest.raises(td.errors.UnknownNameError):
        td.load_game("koikoi", doubles=7)


@pytest.mark.parametrize(
    "parameters, counts, uniform",
    [
        pytest.param(
            {}, (173_129, 38_592, 30_312, 17_468, 34_936), (29 / 360, 4843 / 2520, 11339 / 5040), marks=pytest.mark.slow
        ),
        ({"merged": True}, (44_119, 9_704, 7_382, 4_415, 8_830), (29 / 360, 4843 / 2520, 11339 / 5040)),
        pytest.param(
            {"max_koikoi": 0},
            (116_073, 25_536, None, 8_220, None),
            (0.482539682540, 1.454166666667, 0.530753968254),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_mini8(parameters, counts, uniform):
    tree = td.compile_game(mini8(**parameters), cache=False)
    found = (len(tree.player), len(tree.terminals), int((tree.player >= 0).sum()), tree.infosets, tree.rows)
    assert all(asked in (None, got) for asked, got in zip(counts, found, strict=True)), found
    evaluation = td.evaluate(td.Profile.uniform(tree))
    assert (evaluation.values[0], *evaluation.best) == pytest.approx(uniform, abs=1e-11)
    value = 131 / 210 if "max_koikoi" in parameters else 0.177744472789
    assert td.solve(tree, "lp").values[0] == pytest.approx(value, abs=1e-9)


MINI12 = 1.42919366  # by EMA to NashConv 1e-8, of merged cards; of distinct ones 1.4291937 to 9e-7


@pytest.mark.slow
@pytest.mark.parametrize(
    "merged, counts",
    [
        (False, (4_080_037, 1_040_048, 931_128, 763_280, 1_530_214)),
        (True, (1_041_509, 262_364, 233_664, 191_230, 383_495)),
    ],
)
def test_mini12(merged, counts):
    tree = td.compile_game(mini12(merged), cache=False)
    found = (len(tree.player), len(tree.terminals), int((tree.player >= 0).sum()), tree.infosets, tree.rows)
    assert found == counts
    solution = td.solve(tree, until=1e-4)
    # Each player can secure the value minus the gain of the opponent's best response.
    assert solution.nash_conv <= 1e-4 and abs(solution.values[0] - MINI12) <= solution.nash_conv


@pytest.mark.slow
def test_minikoi():
    """The value is 0.346138 (+- 1.1e-6); the game has 272,964 terminals with distinct cards."""
    game = minikoi(
        "3B 3R 3C1 3C2 8B 8A 8C1 8C2 9A 9R 9C1 9C2", field="3C1 8C1 9C1", hand=2, merged=True,
        yaku=[("hanami", 5, "3B 9A"), ("tsukimi", 5, "8B 9A"), ("brights", 3, "3B 8B"), ("tane", 1, "8A 9A"),
              ("tan", 1, "3R 9R"), ("kasu", 1, "3C1 3C2 8C1 8C2 9C1 9C2 9A", 4, 1)],
    )  # fmt: skip
    solution = td.solve(game, "cfr+", until=2e-3, iterations=3000)
    assert abs(solution.values[0] - 0.346138) <= solution.nash_conv + 2e-6


def test_reduced_games_refuse():
    for wrong in ({"hand": 5}, {"field": 9}, {"yaku": [("tan", 1)]}, {"yaku": [("tan", 0, "3R")]}, {"merged": "maybe"}):
        with pytest.raises(td.errors.ParameterError):
            minikoi(**({"cards": "3B 3R 3C1 3C2 9A 9R 9C1 9C2", "yaku": [("tan", 1, "3R 9R")]} | wrong))
