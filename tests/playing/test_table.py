"""Tables: the same luck and the same hands with and without a tree, for agents of every kind."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

import tefuda as td
from tefuda.koikoi.game import DRAW
from tefuda.playing.deals import DealSource, Task
from tefuda.playing.match import duplicate_match
from tefuda.playing.table import ActionHistory, RulesTable, table_of
from tests.conftest import compiled, refused, rules

#: Recorded matches on trees: means, the first hand, SHA-256 of payoffs, ends and hands.
KEPT = json.loads((Path(__file__).parents[1] / "data" / "matches.json").read_text())

MATCHES = {
    "leduc3": ({"players": 3}, ["uniform", "always-raise", "always-call"], dict(deals=40, seed=3, play=True)),
    "leduc3 cards": (
        {"players": 3},
        ["uniform", "uniform", "always-call"],
        dict(deals=20, seed=4, play=True, shared="cards"),
    ),
    "kuhn nothing": ({}, ["uniform", "uniform"], dict(deals=30, seed=5, play=True, shared="nothing")),
    "leduc exploiter": ({}, ["exploiter", "uniform"], dict(deals=40, seed=6, replicates=2)),
    "liars": ({"sides": 3}, ["uniform", "trembling"], dict(deals=25, seed=8, play=True)),
    "leduc virtual": ({}, ["virtual", "always-raise"], dict(deals=30, seed=9)),
}


def digest(found):
    """Return the SHA-256 of all results of a match, whose sums may be rounded in another order."""
    hands = repr(
        [
            (hand.deal, hand.seating, hand.labels, [round(each, 9) + 0.0 for each in hand.payoffs])
            for hand in found.hands
        ]
    )
    parts = ((found.payoffs.round(9) + 0.0).tobytes(), found.ends.astype(np.int64).tobytes(), hands.encode())
    return hashlib.sha256(b"".join(parts)).hexdigest()[:16]


def game_of(name):
    return {"kuhn": "kuhn", "liars": "liars_dice"}.get(name.split()[0], "leduc")


@pytest.mark.parametrize("name", MATCHES)
def test_matches_on_trees_are_unchanged(name):
    parameters, names, options = MATCHES[name]
    tree = compiled(game_of(name), **parameters)
    found = duplicate_match(tree, td.named_agents(tree, names), record=True, **options)
    assert list(map(str, found.hands[0].labels)) == KEPT[name]["first"]
    assert found.mean.tolist() == pytest.approx(KEPT[name]["mean"], abs=1e-12)
    assert digest(found) == KEPT[name]["digest"]


def test_a_search_on_a_tree_is_unchanged():
    tree = compiled("kuhn")
    players = [td.playing.SearchAgent("s", iterations=40, seed=1), *td.named_agents(tree, ["uniform"])]
    found = duplicate_match(tree, players, deals=25, seed=7, record=True)
    assert digest(found) == KEPT["kuhn search"]["digest"]


@pytest.mark.parametrize("name", ["leduc3", "leduc3 cards", "kuhn nothing", "liars"])
def test_a_match_over_rules_is_the_one_on_the_tree(name):
    """Hands, exact values and ends are equal to the bit, because profiles bring the tree for the luck."""
    parameters, names, options = MATCHES[name]
    tree, game = compiled(game_of(name), **parameters), rules(game_of(name), **parameters)
    assert game is not tree.game
    agents = td.named_agents(tree, names)
    assert isinstance(table_of(game, tree), RulesTable)
    found = duplicate_match(game, agents, record=True, **options)
    assert digest(found) == KEPT[name]["digest"]
    assert np.array_equal(found.exact, duplicate_match(tree, agents).exact)
    assert np.array_equal(found.exact, duplicate_match(table_of(tree), agents).exact)


class Watcher:
    """Agent that always calls, and records its observations."""

    name, profile = "watcher", None

    def __init__(self):
        self.told = []

    def start(self, game, seat):
        self.told.append((game.name, seat))

    def act(self, turn):
        self.told.append((turn.view, turn.actions, turn.seat))
        return turn.actions.index("c")

    def observe_hand(self, sight):
        self.told.append((sight.seat, sight.view, sight.payoffs, sight.shown, [move[::2] for move in sight.moves]))


def test_observations_are_the_same_with_and_without_a_tree():
    """Agents of the old protocol, start(tree, seat), play on both; without a tree infosets have no number."""
    tree, told = compiled("leduc", players=3), []
    for table in (table_of(tree), RulesTable(rules("leduc", players=3), tree)):
        agents = [Watcher(), *td.named_agents(tree, ["uniform", "always-raise"])]
        table.play_task(Task(table, agents, (0, 1, 2), DealSource(40, seed=2)))
        told.append(agents[0].told)
    assert told[0] == told[1] and len(told[0]) > 100
    free = Watcher()
    numbers = set()
    free.observe_hand = lambda sight: numbers.update(move.infoset for move in sight.moves)
    duplicate_match(rules("leduc"), [free, td.RandomAgent()], deals=20)
    assert numbers == {-1}


def test_seat_orders_share_cards_and_luck_without_a_tree():
    """Equal agents win equally; a deal has one set of cards, whatever the workers; seeds differ."""
    game = rules("goofspiel", cards=5, order="random")
    agents = [td.RandomAgent(), td.RandomAgent()]
    found = duplicate_match(game, agents, deals=30, seed=3, record=True)
    assert (found.by_deal == 0).all() and (found.ends == -1).all() and found.exact is None
    assert found.payoffs.any()
    again = duplicate_match(game, agents, deals=30, seed=3, record=True, workers=2)
    assert again.hands == found.hands
    assert duplicate_match(game, agents, deals=30, seed=4, record=True).hands != found.hands
    koikoi = duplicate_match(rules("koikoi"), agents, deals=3, seed=1, record=True)
    drawn = {deal: {hand.labels[:24] for hand in koikoi.hands if hand.deal == deal} for deal in range(3)}
    assert all(len(cards) == 1 for cards in drawn.values()) and len(koikoi.hands) == 6


def test_chance_is_drawn_by_its_probabilities():
    """The six deals of 3-card Kuhn poker have frequency 1/6 within 4 errors, with `draw` and without."""

    class Listed:
        def __init__(self, game):
            self.__dict__.update({part: getattr(game, part) for part in dir(game) if part[0] != "_" and part != "draw"})

    for game in (rules("kuhn"), Listed(rules("kuhn"))):
        found = duplicate_match(game, [td.RandomAgent(), td.RandomAgent()], deals=600, record=True, shared="nothing")
        dealt = [hand.labels[0] for hand in found.hands]
        assert len(set(dealt)) == 6 and hasattr(game, "draw") == (game.__class__ is not Listed)
        for cards in set(dealt):
            assert abs(dealt.count(cards) / len(dealt) - 1 / 6) < 4 * (5 / 36 / len(dealt)) ** 0.5


def test_two_seats_have_luck_of_their_own():
    """Without a tree the random numbers of two seats differ at their first decisions."""
    points = {}

    class Noting(td.RandomAgent):
        def act(self, turn):
            points.setdefault(turn.seat, []).append(turn.uniform)
            return super().act(turn)

    duplicate_match(rules("kuhn"), [Noting(), Noting()], deals=20)
    assert not set(points[0]) & set(points[1])


def test_forced_events_take_no_luck_without_a_tree():
    """Forced outcomes of chance use no random numbers, but they do on a tree, at both tables."""
    game, tree = rules("koikoi"), compiled("mini8")
    first, last = (td.ScriptedAgent(str(n), lambda *told, n=n: told[2][n]) for n in (0, -1))
    drawn = [
        [stock(game, hand.labels) for hand in duplicate_match(game, [one, one], deals=15, record=True).hands]
        for one in (first, last)
    ]
    assert all(all(map(str.__eq__, one, two)) for one, two in zip(*drawn, strict=True))
    assert sum(min(map(len, pair)) > 5 for pair in zip(*drawn, strict=True)) > 10
    flat = td.named_agents(tree, ["uniform", "uniform"])
    found = [duplicate_match(table, flat, deals=30, record=True, play=True).hands for table in (tree, rules("mini8"))]
    assert found[0] == found[1]


class Coins:
    """Five coins, each followed by an optional forced outcome, then a decision."""

    name, players, parameters = "coins", 1, {}

    def __init__(self, forced):
        self.order = ("ht", "!") * 5 if forced else ("ht",) * 5

    def root(self):
        return ""

    def player(self, state):
        return td.CHANCE if len(state) < len(self.order) else 0 if len(state) == len(self.order) else td.TERMINAL

    def actions(self, state):
        return ("a", "b")

    def chances(self, state):
        options = self.order[len(state)]
        return tuple((option, 1 / len(options)) for option in options)

    def child(self, state, label):
        return state + label

    def payoffs(self, state):
        return (0,)

    def view(self, state, player):
        return state


def test_a_forced_outcome_that_is_listed_takes_no_luck():
    """The coins of a deal are the same, with and without forced outcomes between them."""
    hands = [
        duplicate_match(Coins(forced), [td.RandomAgent()], deals=12, record=True).hands for forced in (False, True)
    ]
    fallen = [["".join(hand.labels[:-1]).replace("!", "") for hand in some] for some in hands]
    assert fallen[0] == fallen[1] and len(set(fallen[0])) > 6


def test_each_decision_of_a_hand_has_luck_of_its_own():
    """A uniform player who passes first may bet later; with one number for both it would pass again."""
    tree = compiled("kuhn")
    flat = td.ProfileAgent("flat", td.Profile.uniform(tree))
    for place in (tree, tree.game):
        table = [flat, flat] if place is tree else [td.RandomAgent(), td.RandomAgent()]
        lines = {hand.labels[1:] for hand in duplicate_match(place, table, deals=80, play=True, record=True).hands}
        assert lines == {("p", "p"), ("p", "b", "p"), ("p", "b", "b"), ("b", "p"), ("b", "b")}


def stock(game, labels):
    """Return the cards drawn from the stock, in order."""
    state, drawn = game.root(), []
    for label in labels:
        if state.phase == DRAW:
            drawn.append(label)
        state = game.child(state, label)
    return drawn


def test_outcomes_are_not_listed_where_a_game_draws_them():
    class Wide:
        """Game with a million million outcomes, and one decision."""

        name, players, parameters = "wide", 1, {}
        root = staticmethod(lambda: ())
        player = staticmethod(lambda state: (td.CHANCE, 0, td.TERMINAL)[len(state)])
        actions = staticmethod(lambda state: ("stay",))
        child = staticmethod(lambda state, label: (*state, label))
        payoffs = staticmethod(lambda state: (0,))
        view = staticmethod(lambda state, player: state)
        draw = staticmethod(lambda state, uniform: (int(uniform() * 10**12), 1e-12))

        def chances(self, state):
            raise AssertionError("outcomes are not listed")

    found = duplicate_match(Wide(), [td.RandomAgent()], deals=3, record=True)
    assert len({hand.labels[0] for hand in found.hands}) == 3


def test_agents_of_every_kind_play_without_a_tree():
    game = rules("kuhn")
    bets = td.ScriptedAgent("bets", lambda player, view, actions: "b")
    found = duplicate_match(game, [td.playing.SearchAgent("s", iterations=60, seed=1), bets], deals=40, seed=3)
    best = np.mean([td.best_response(td.named_agents(compiled("kuhn"), ["always-raise"])[0].profile, s).value
                    for s in (0, 1)])  # fmt: skip
    assert 0 < found.mean[0] <= best + 2 * found.error[0] and found.mean.sum() == pytest.approx(0)
    human = td.HumanAgent(ask=lambda question: "b", notify=lambda line: None)
    assert duplicate_match(game, [human, td.RandomAgent()], deals=4).agents == ("human", "random") and human.hands == 8
    cross = td.cross_table(game, [bets, td.RandomAgent(), td.RandomAgent()], deals=20)
    assert cross.won == pytest.approx(-cross.won.T)


def test_named_agents_without_a_tree(tmp_path):
    game = rules("koikoi")
    assert [agent.name for agent in td.named_agents(game, ["random", "uniform", "oos"])] == ["random", "uniform", "oos"]
    with pytest.raises(td.errors.ParameterError, match=r"equilibrium needs a compiled tree of koikoi.* random"):
        td.named_agents(game, ["equilibrium"])
    (tmp_path / "profile.npz").write_text("")
    with pytest.raises(td.errors.ParameterError, match="compiled"):
        td.named_agents(game, [str(tmp_path)])
    with refused(td.errors.UnknownNameError, key="agent", value="nobody"):
        td.named_agents(game, ["nobody"])


def test_impossible_matches_are_refused():
    kuhn, two = rules("kuhn"), [td.RandomAgent(), td.RandomAgent()]
    with pytest.raises(td.errors.GameError, match="name"):
        duplicate_match("kuhn", two)
    with pytest.raises(td.errors.GameError, match="game"):
        duplicate_match(object(), two)
    with pytest.raises(td.errors.GameError, match="game"):
        td.cross_table(object(), two)
    with pytest.raises(td.errors.ParameterError, match="agents"):
        duplicate_match(kuhn, two[:1])
    flat = td.ProfileAgent("u", td.Profile.uniform(compiled("kuhn", players=3)))
    with pytest.raises(td.errors.ProfileError, match="rules"):
        duplicate_match(kuhn, [flat, two[0]])
    exploiter = td.AdaptiveExploiter("e", td.Profile.uniform(compiled("kuhn")))
    with pytest.raises(td.InputError, match="Tree"):
        duplicate_match(kuhn, [exploiter, two[0]])
    for place in (2, -1):
        wild = td.RandomAgent()
        wild.act = lambda turn, place=place: place
        for game in (kuhn, compiled("kuhn")):
            with pytest.raises(td.errors.ParameterError, match=rf"returned the \w+ {place}; .*0: p, 1: b"):
                duplicate_match(game, [wild, two[0]], deals=1)
    match = duplicate_match(kuhn, two, deals=5)
    with pytest.raises(td.errors.ParameterError, match="without"):
        td.playing.aivat(match, 0, td.Profile.uniform(compiled("kuhn")))


def test_a_hand_is_played_again_from_its_labels():
    """Given actions are replayed; impossible actions, or other outcomes of chance, raise errors."""
    game, dealing = rules("leduc"), DealSource(1, seed=5)
    table, agents = RulesTable(game), [td.RandomAgent(), td.RandomAgent()]
    end = table.play(agents, dealing, 0, 0)
    for cut in range(len(end.labels) + 1):
        course = ActionHistory(end.labels[:cut])
        assert table.play(agents, dealing, 0, 0, course) == end and course.labels == list(end.labels)
    nobody = [td.ScriptedAgent("n", lambda *turn: 1 / 0)] * 2
    assert table.play(nobody, dealing, 0, 0, ActionHistory(end.labels)) == end
    with pytest.raises(td.errors.ParameterError, match="before"):
        table.play(agents, DealSource(1, seed=6), 0, 0, ActionHistory((("Q", "Q"),)))
    with pytest.raises(td.errors.ParameterError, match="legal actions"):
        table.play(agents, dealing, 0, 0, ActionHistory((end.labels[0], "x")))


def test_hands_of_rules_are_saved_and_loaded(tmp_path):
    """Hands are loaded by rules and by tree; illegal hands raise errors."""
    game, path = rules("leduc"), tmp_path / "hands.jsonl"
    played = duplicate_match(game, [td.RandomAgent(), td.RandomAgent()], deals=6, seed=3, record=True)
    td.playing.write_hands(path, played)
    found, on_tree = td.playing.read_hands(path, game), td.playing.read_hands(path, compiled("leduc"))
    assert found.hands == played.hands == on_tree.hands and np.array_equal(found.payoffs, played.payoffs)
    assert (found.ends == -1).all() and (on_tree.ends > 0).all()
    lines = path.read_text().splitlines()
    hand = json.loads(lines[1])
    for changed, words in (
        ({"labels": [*hand["labels"][:1], "x"]}, "line 2, .*'x' is impossible here; leduc allows"),
        ({"labels": hand["labels"][:-1]}, "not over"),
        ({"labels": [*hand["labels"], "c"]}, "impossible"),
        ({"payoffs": [9, -9]}, "payoffs are"),
    ):
        path.write_text("\n".join([lines[0], json.dumps({**hand, **changed}), *lines[2:]]))
        with pytest.raises(td.errors.RunError, match=words):
            td.playing.read_hands(path, game)
