"""Games imported from OpenSpiel, compared with the built-in games history by history."""

import numpy as np
import pytest

import tefuda as td
from tefuda.games.protocol import labels
from tefuda.games.small.cards import rank_names
from tests.conftest import compiled, refused, rules

pyspiel = pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install open_spiel")


exploitability = pytest.importorskip("open_spiel.python.algorithms.exploitability")
pytest.importorskip("open_spiel.python.games")


def kuhn(players):
    order = rank_names(players + 1).index
    return lambda label: [order(card) for card in label] if isinstance(label, tuple) else ["pb".index(label)]


def leduc(players):
    order = rank_names(players + 1).index

    def numbers(label):
        if label in ("f", "c", "r"):
            return ["fcr".index(label)]
        return [2 * order(card[0]) + "sh".index(card[1]) for card in (label if isinstance(label, tuple) else (label,))]

    return numbers


def nolimit(label):
    if label in ("f", "c"):
        return ["fc".index(label)]
    if label[0] == "r":
        return [int(label[1:])]
    return [
        2 * "JQK".index(card[0]) + "sh".index(card[1]) for card in (label if isinstance(label, tuple) else (label,))
    ]


def dice(sides, count):
    def numbers(label):
        if isinstance(label, tuple):
            return [int(face) - 1 for roll in label for face in roll]
        if label == "liar":
            return [sides * count]
        quantity, face = label.split("-")
        return [(int(quantity) - 1) * sides + int(face) - 1]

    return numbers


def goofspiel(label):
    return [label - 1]


def rps(label):
    return [("rock", "paper", "scissors").index(label)]


def battleship(width, height):
    """Shots are cells; places are by their first cell, across and then down."""

    def numbers(label):
        first, _, last = label.partition("-")
        cells = [width * (int(cell[1:]) - 1) + "abcdefghij".index(cell[0]) for cell in (first, last or first)]
        return [cells[0] + (bool(last) + (cells[1] - cells[0] >= width)) * width * height]

    return numbers


class InOrder:
    """Numbers of actions by their order, which is OpenSpiel's, and of outcomes of chance by a function."""

    def __init__(self, deal=None):
        self.deal = deal

    def __call__(self, game, ours, other):
        if game.player(ours) == td.CHANCE:
            return self.deal
        return lambda label: [other.legal_actions()[game.actions(ours).index(label)]]


def digits(label):
    return [int(part) for part in label] if isinstance(label, tuple) else [label]


GOOF = "goofspiel(imp_info={},num_cards={},points_order={},players={},returns_type={})"


BETS = (
    "universal_poker(betting=nolimit,numPlayers=2,numRounds=2,blind=1 1,firstPlayer=1 1,numSuits=2,numRanks=3,"
    "numHoleCards=1,numBoardCards=0 1,stack={0} {0},bettingAbstraction=fullgame)"
)


def alternating(hands):
    """Digits are dealt in turn."""
    return [int(digit) for turn in zip(*hands, strict=True) for digit in turn]


def bridge(hands):
    """A hand is a pair of cards, numbered by the higher one and then the lower one."""
    order = tuple(rank + suit for suit in "hs" for rank in "JQKA").index
    return [high * (high - 1) // 2 + low for low, high in (sorted(map(order, hand)) for hand in hands)]


POKER = "python_liars_poker(players={},hand_length={},num_digits={})"
PRISONERS = (((5, 5), (0, 10)), ((10, 0), (1, 1)))
SHIPS = (
    "battleship(board_width={},board_height={},ship_sizes=[{}],ship_values=[{}],num_shots={},loss_multiplier={},"
    "allow_repeated_shots=False)"
)
TWINS: list[tuple] = [
    ("kuhn", {}, "kuhn_poker", kuhn(2)),
    ("kuhn", {"players": 3}, "kuhn_poker(players=3)", kuhn(3)),
    ("leduc", {"distinct_suits": True}, "leduc_poker", leduc(2)),
    ("leduc", {"distinct_suits": True, "players": 3}, "leduc_poker(players=3)", leduc(3)),
    ("nolimit_leduc", {"distinct_suits": True}, BETS.format(5), nolimit),
    ("nolimit_leduc", {"distinct_suits": True, "stack": 10}, BETS.format(10), nolimit),
    ("liars_dice", {"sides": 3}, "liars_dice(dice_sides=3)", dice(3, 2)),
    ("liars_dice", {}, "liars_dice", dice(6, 2)),
    ("goofspiel", {}, GOOF.format(True, 4, "descending", 2, "win_loss"), goofspiel),
    ("goofspiel", {"hidden": False}, GOOF.format(False, 4, "descending", 2, "win_loss"), goofspiel),
    ("goofspiel", {"order": "random"}, GOOF.format(True, 4, "random", 2, "win_loss"), goofspiel),
    ("goofspiel", {"order": "ascending"}, GOOF.format(True, 4, "ascending", 2, "win_loss"), goofspiel),
    ("goofspiel", {"players": 3}, GOOF.format(True, 4, "descending", 3, "win_loss"), goofspiel),
    (
        "goofspiel",
        {"payoff": "point_difference"},
        GOOF.format(True, 4, "descending", 2, "point_difference"),
        goofspiel,
    ),
    ("rps", {}, "matrix_rps", rps),
    ("battleship", {}, SHIPS.format(2, 2, 2, 2, 3, 1.0), battleship(2, 2)),
    ("battleship", {"width": 3, "height": 2}, SHIPS.format(3, 2, 2, 2, 3, 1.0), battleship(3, 2)),
    (
        "battleship",
        {"width": 3, "height": 2, "ships": (3, 2), "values": (1, 2), "shots": 4, "loss": 2},
        SHIPS.format(3, 2, "3;2", "1;2", 4, 2.0),
        battleship(3, 2),
    ),
    (
        "battleship",
        {"width": 3, "ships": (1, 2), "values": (3, 2)},
        SHIPS.format(3, 2, "1;2", "3;2", 3, 1.0),
        InOrder(),
    ),
    (
        "battleship",
        {"width": 4, "height": 1, "ships": (1, 2), "values": (1, 1), "shots": 2},
        SHIPS.format(4, 1, "1;2", "1;1", 2, 1.0),
        InOrder(),
    ),
    ("sheriff", {}, "sheriff(num_rounds=1)", InOrder()),
    ("sheriff", {"items": 5, "rounds": 2}, "sheriff(max_items=5,num_rounds=2)", InOrder()),
    ("tiny_hanabi", {}, "tiny_hanabi", InOrder(digits)),
    ("trade_comm", {}, "trade_comm(num_items=3)", InOrder(lambda pair: [3 * int(pair[0]) + int(pair[1])])),
    ("first_price_auction", {}, "first_sealed_auction(max_value=5)", InOrder(digits)),
    ("first_price_auction", {"players": 3}, "first_sealed_auction(max_value=5,players=3)", InOrder(digits)),
    ("blotto", {}, "blotto(coins=5,fields=3)", InOrder()),
    ("matching_pennies", {}, "matrix_mp", InOrder()),
    ("matching_pennies", {"players": 3}, "matching_pennies_3p", InOrder()),
    ("coordinated_matching_pennies", {}, "coordinated_mp", InOrder(lambda side: [("top", "bottom").index(side)])),
    ("liars_poker", {"ordered": True}, POKER.format(2, 2, 2), InOrder(alternating)),
    ("tiny_bridge", {}, "tiny_bridge_2p", InOrder(bridge)),
    (
        "repeated",
        {"payoffs": PRISONERS, "rounds": 3},
        "repeated_game(stage_game=matrix_pd(),num_repetitions=3)",
        InOrder(),
    ),
    ("oshi_zumo", {}, "oshi_zumo(coins=4,size=1,horizon=6)", InOrder()),
    ("oshi_zumo", {"coins": 5, "size": 2}, "oshi_zumo(coins=5,size=2,horizon=6)", InOrder()),
]


def follow(state, numbers):
    """Return OpenSpiel's state after some actions, and the product of the chances among them."""
    state, chance = state.clone(), 1.0
    for number in numbers:
        if state.is_chance_node():
            chance *= dict(state.chance_outcomes())[number]
        state.apply_action(number)
    return state, chance


def replay(game, theirs, numbers, rng, infosets):
    """Play both games in parallel; collect pairs (built-in infoset, OpenSpiel infoset)."""
    ours, other, meant = game.root(), theirs.new_initial_state(), numbers
    while (mover := game.player(ours)) != td.TERMINAL:
        numbers = meant(game, ours, other) if isinstance(meant, InOrder) else meant
        if mover == td.CHANCE:
            for label, chance in game.chances(ours):
                assert follow(other, numbers(label))[1] == pytest.approx(float(chance), abs=1e-15)
            assert sum(chance for _, chance in game.chances(ours)) == 1
        else:
            assert other.current_player() == mover
            assert [number for label in game.actions(ours) for number in numbers(label)] == other.legal_actions()
            infosets.add(((mover, game.view(ours, mover)), (mover, other.information_state_string(mover))))
        label = labels(game, ours)[rng.integers(len(labels(game, ours)))]
        ours, other = game.child(ours, label), follow(other, numbers(label))[0]
    while not other.is_terminal():  # goofspiel's last round, which has no choice
        assert len(other.legal_actions()) == 1
        other.apply_action(other.legal_actions()[0])
    assert other.returns() == pytest.approx([float(amount) for amount in game.payoffs(ours)], abs=1e-12)


@pytest.mark.parametrize("name, parameters, theirs, numbers", TWINS, ids=[f"{t[0]} {t[1]}" for t in TWINS])
def test_random_replays(name, parameters, theirs, numbers):
    """Actions, chances, payoffs, and one-to-one infosets."""
    game, twin = rules(name, **parameters), pyspiel.load_game_as_turn_based(theirs)
    rng, infosets = np.random.default_rng(1), set()
    for _ in range(300):
        replay(game, twin, numbers, rng, infosets)
    ours, others = zip(*infosets, strict=True)
    assert len(set(ours)) == len(infosets)
    if parameters.get("hidden", True):  # with open bids OpenSpiel shows the hands, but not the order of bids
        assert len(set(others)) == len(infosets)


PHANTOM = [
    ("dark_hex", {"rows": 2, "columns": 2}, "dark_hex(num_rows=2,num_cols=2,gameversion=cdh)"),
    ("dark_hex", {"rows": 2, "columns": 2, "abrupt": True}, "dark_hex(num_rows=2,num_cols=2,gameversion=adh)"),
    ("dark_hex", {"rows": 2, "columns": 3}, "dark_hex(num_rows=2,num_cols=3,gameversion=cdh)"),
    ("dark_hex", {"abrupt": True}, "dark_hex(num_rows=3,num_cols=3,gameversion=adh)"),
    ("phantom_ttt", {}, "phantom_ttt"),
]


@pytest.mark.parametrize("name, parameters, theirs", PHANTOM)
def test_phantom_games(name, parameters, theirs):
    """Movers, actions and payoffs; OpenSpiel's strings may split infosets, but never merge two."""
    game, twin = rules(name, **parameters), pyspiel.load_game(theirs)
    rng, infosets = np.random.default_rng(1), set()
    for _ in range(300):
        replay(game, twin, InOrder(), rng, infosets)
    assert len({other for _, other in infosets}) == len(infosets)


@pytest.mark.parametrize("abrupt", [False, True])
def test_whole_dark_hex(abrupt):
    """The evaluation of uniform play over all histories of OpenSpiel's rules."""
    tree = compiled("dark_hex", rows=2, columns=2, abrupt=abrupt)
    theirs = pyspiel.load_game(f"dark_hex(num_rows=2,num_cols=2,gameversion={'adh' if abrupt else 'cdh'})")
    expected = exploitability.nash_conv(theirs, _uniform(theirs))
    assert td.nash_conv(td.Profile.uniform(tree)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("discount", [1, 0.5])
def test_bargaining_over_the_same_values(discount, tmp_path):
    """OpenSpiel reads the pool and all pairs of values from a file."""
    game = rules("bargaining", pool=(1, 1, 1), worth=3, turns=5, discount=discount)
    deals = [values for values, _ in game.chances(game.root())]
    lines = [" ".join(text.replace("-", ",") for text in ("1-1-1", *values)) for values in deals]
    file = tmp_path / "values.txt"
    file.write_text("\n".join(lines) + "\n")
    theirs = pyspiel.load_game(f"bargaining(instances_file={file},max_turns=5,discount={float(discount)})")
    rng, infosets = np.random.default_rng(1), set()
    for _ in range(200):
        replay(game, theirs, InOrder(lambda values: [deals.index(values)]), rng, infosets)
    ours, others = zip(*infosets, strict=True)
    assert len(set(ours)) == len(set(others)) == len(infosets)


@pytest.mark.parametrize(
    "name, parameters, theirs",
    [("leduc", {}, "leduc_poker"), ("liars_dice", {"dice": 2, "sides": 2}, "liars_dice(numdice=2,dice_sides=2)")],
)
def test_merged_deals(name, parameters, theirs):
    """Games with merged deals have equal values, best responses and solutions, without a replay."""
    ours, other = compiled(name, **parameters), td.compile_game(td.exchange.from_openspiel(theirs))
    assert ours.infosets <= other.infosets
    evaluated = [td.evaluate(td.Profile.uniform(tree)) for tree in (ours, other)]
    assert evaluated[0].values == pytest.approx(evaluated[1].values, abs=1e-12)
    assert evaluated[0].best == pytest.approx(evaluated[1].best, abs=1e-12)
    assert td.solve(ours, "lp").values == pytest.approx(td.solve(other, "lp").values, abs=1e-9)


# histories, infosets and uniform NashConv of imported games; goofspiel has its single-choice round
TAKEN = [
    ("kuhn_poker", 58, 12, 11 / 12),
    ("leduc_poker", 9_457, 936, 1709 / 360),
    ("liars_dice(dice_sides=3)", 1_147, 192, None),
    ("goofspiel(imp_info=True,num_cards=3,points_order=descending)", None, None, None),
    ("matrix_rps", 13, 2, 0),
    ("kuhn_poker(players=3)", 617, 48, None),
]


@pytest.mark.parametrize("text, histories, infosets, uniform", TAKEN)
def test_imported_games(text, histories, infosets, uniform):
    game = td.exchange.from_openspiel(text)
    assert td.check_game(game).ok
    tree = td.compile_game(game)
    assert histories in (None, len(tree.player)) and infosets in (None, tree.infosets)
    theirs = pyspiel.load_game_as_turn_based(text)
    expected = exploitability.nash_conv(theirs, _uniform(theirs))
    assert td.nash_conv(td.Profile.uniform(tree)) == pytest.approx(expected, abs=1e-12)
    assert uniform is None or expected == pytest.approx(uniform, abs=1e-12)


def _uniform(game):
    from open_spiel.python.policy import UniformRandomPolicy

    return UniformRandomPolicy(game)


def test_runs_of_imported_games_are_resumed(tmp_path):
    once = td.solve(td.exchange.from_openspiel("kuhn_poker"), "cfr+", iterations=30)
    td.solve(td.load_game("openspiel", game="kuhn_poker()"), "cfr+", iterations=10, checkpoint=tmp_path / "run")
    again = td.resume(tmp_path / "run", iterations=30)
    assert np.array_equal(once.strategy.probabilities, again.strategy.probabilities)


@pytest.mark.parametrize("text, words", [("poker_kuhn", "poker_kuhn"), ("kuhn_poker(cards=3)", "cards")])
def test_games_unknown_to_openspiel(text, words):
    with pytest.raises(td.InputError, match=words):
        td.exchange.from_openspiel(text)


@pytest.mark.parametrize("text", ["kuhn_poker", "kuhn_poker(players=3)", "matrix_rps"])
def test_every_game_is_rebuilt_by_its_name(text, tmp_path):
    """The name alone rebuilds the game, also for a saved run."""
    game = td.exchange.from_openspiel(text)
    assert game.name == f"openspiel:{text}" and td.load_game(game.name) == game
    tree = td.compile_game(game)
    solution = td.solve(tree, "cfr", iterations=5, checkpoint=tmp_path / "run")
    assert solution.summary()["game"] == game.name
    again = td.resume(tmp_path / "run", iterations=10)
    assert again.form.fingerprint == tree.fingerprint
    with refused(td.InputError, key="game of OpenSpiel", value="nonesuch"):
        td.load_game("openspiel:nonesuch")


@pytest.mark.parametrize("name", ["mfg_garnet", "mfg_crowd_modelling_2d(size=3)"])
def test_mean_field_games_are_refused_by_name(name):
    with pytest.raises(td.errors.ParameterError, match="mean-field") as caught:
        td.load_game(f"openspiel:{name}")
    assert caught.value.key == "game" and caught.value.value.startswith(name.partition("(")[0])


@pytest.mark.parametrize(
    "name, kind", [("kunh_poker", td.errors.UnknownNameError), ("kuhn_poker(players", td.errors.ParameterError)]
)
def test_names_that_openspiel_does_not_know(name, kind):
    for given in (name, name + "x" * 20_000):
        with pytest.raises(kind) as caught:
            td.exchange.from_openspiel(given)
        assert caught.type is kind and len(str(caught.value)) < 2_300
    with refused(td.errors.UnknownNameError, key="game of OpenSpiel", value="kunh_poker"):
        td.exchange.from_openspiel("kunh_poker(players=3)")
    with pytest.raises(td.errors.ParameterError):
        td.exchange.from_openspiel(td.load_game("kuhn"))
