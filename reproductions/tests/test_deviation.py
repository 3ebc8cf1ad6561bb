"""Models of opponents near an equilibrium with observed public frequencies."""

import numpy as np
import pytest
from scipy.optimize import linprog

import tefuda as td
from tefuda.forms.public import public_groups, public_states
from tefuda.playing import agents, stereotypes
from tefuda.playing.deals import DealSource, Task
from tefuda.playing.table import play_seating
from tefuda_reproductions.deviation import DeviationModel, closest, deviate
from tests.conftest import compiled


@pytest.fixture(scope="module", params=["kuhn", "leduc"])
def table(request):
    return stereotypes.equilibrium(compiled(request.param))


def frequencies(profile, player, group):
    """Return the frequency of each action in a public state, for dealt cards and the player's own reach."""
    tree = profile.tree
    reached = td.evaluating.reach(profile)
    weight = reached.chance * reached.own[:, player]
    total = np.zeros(tree.action_counts[group[0]])
    for infoset in group.tolist():
        total += weight[tree.histories_of(infoset)].sum() * profile.probabilities[tree.rows_of(infoset)]
    return total / total.sum() if total.sum() > 0 else None


def test_public_states():
    """Kuhn poker has two states of three cards; Leduc has 3, and 15 for each board."""
    for name, states in (("kuhn", 2), ("leduc", 3 + 3 * 15)):
        tree = compiled(name)
        found = public_states(tree)
        for player in (0, 1):
            groups = public_groups(tree, player)
            assert len(groups) == states and [found[group[0]] for group in groups] == sorted(
                set(found[tree.infosets_of(player)])
            )
            for group in groups:
                keys = [str(tree.keys[infoset]).split("|") for infoset in group.tolist()]
                assert len({(cards[1:], history) for cards, history in keys}) == 1
                assert len(set(found[group])) == 1
    with pytest.raises(td.errors.GameError, match="different"):
        public_groups(compiled("goofspiel", cards=3), 1)


def test_nothing_seen_or_nothing_believed(table):
    """Without data the model is the equilibrium; with a stronger prior it is closer to it."""
    model = DeviationModel(table, 1)
    assert model.mean().probabilities == pytest.approx(table.probabilities, abs=1e-12)
    counts = np.random.default_rng(0).integers(1, 50, model.counts.shape).astype(float)
    off = [
        np.abs(deviate(table, 1, counts, strength).probabilities - table.probabilities).max()
        for strength in (1, 1e4, 1e8)
    ]
    assert off[0] > off[1] > off[2] and off[2] < 1e-4


def test_much_data_gives_the_frequencies(table):
    """Each public state has its observed frequencies."""
    groups = public_groups(table.tree, 0)
    wanted = np.random.default_rng(1).dirichlet(np.ones(3), len(groups))
    for group, chances in zip(groups, wanted, strict=True):
        chances[table.tree.action_counts[group[0]] :] = 0
    found = deviate(table, 0, 1e12 * wanted, 1.0)
    for group, chances in zip(groups, wanted, strict=True):
        seen = frequencies(found, 0, group)
        if seen is not None:
            assert seen == pytest.approx(chances[: len(seen)] / chances.sum(), abs=1e-9)
    others = table.tree.player_of_row != 0
    assert np.array_equal(found.probabilities[others], table.probabilities[others])


def test_no_strategy_is_closer():
    """The distance equals that of a linear program."""
    rng = np.random.default_rng(2)
    for _ in range(40):
        hands, actions = int(rng.integers(1, 5)), int(rng.integers(2, 4))
        given, share = rng.dirichlet(np.ones(actions), hands), rng.dirichlet(np.ones(hands))
        given[rng.random(given.shape) < 0.2] = 0
        given = np.where(given.sum(1, keepdims=True) > 0, given, 1)
        given /= given.sum(axis=1, keepdims=True)
        wanted = rng.dirichlet(np.ones(actions))
        found = closest(given, share, wanted)
        assert found.sum(axis=1) == pytest.approx(1) and (found >= 0).all() and share @ found == pytest.approx(wanted)
        size = hands * actions  # columns: s, then bounds of |s - sigma|
        one = np.eye(size)
        program = linprog(
            np.concatenate([np.zeros(size), np.repeat(share, actions)]),
            A_ub=np.block([[one, -one], [-one, -one]]),
            b_ub=np.concatenate([given.ravel(), -given.ravel()]),
            A_eq=np.block(
                [
                    [np.kron(np.eye(hands), np.ones(actions)), np.zeros((hands, size))],
                    [np.kron(share, np.eye(actions)), np.zeros((actions, size))],
                ]
            ),
            b_eq=np.concatenate([np.ones(hands), wanted]),
        )
        assert (share @ np.abs(found - given)).sum() == pytest.approx(program.fun, abs=1e-9)


def test_it_learns_from_hands_without_a_showdown(table):
    """A player who always raises is recognised although most cards stay hidden.

    The response wins more than the equilibrium.
    """
    tree = table.tree
    bold = stereotypes.always_raise(tree)
    model = DeviationModel(table, 1, strength=1)

    class Watcher(agents.ProfileAgent):
        def observe_hand(self, hand):
            hidden = tuple(m if m.player == 0 else agents.Move(1, -1, m.action) for m in hand.moves)
            model.observe_hand(hand._replace(moves=hidden))

    watcher = Watcher("watcher", table)
    watcher.start(tree, 0)
    watcher.profile = None
    watcher.start = lambda tree, seat: None
    play_seating(Task(tree, [watcher, agents.ProfileAgent("bold", bold)], (0, 1), DealSource(500, seed=1)))
    assert model.counts.sum() >= 500
    found = model.mean()
    assert frequencies(found, 1, public_groups(tree, 1)[0])[-1] > 0.9
    answer = td.best_response(found, 0).profile
    gained = td.values(bold.replace(0, answer))[0]
    before, best = td.values(bold.replace(0, table))[0], td.best_response(bold, 0).value
    assert gained > before + 0.6 * (best - before)


def test_three_players():
    """The states of each opponent are counted separately."""
    tree = compiled("kuhn", players=3)
    models = {player: DeviationModel(td.Profile.uniform(tree), player, strength=0) for player in (1, 2)}
    moves = [agents.Move(0, tree.number("0: K|"), "p"), agents.Move(1, -1, "b"), agents.Move(2, -1, "p")]
    moves.append(agents.Move(0, tree.number("0: K|pbp"), "b"))
    for model in models.values():
        model.observe_hand(agents.ObservedHand(0, tuple(moves), "K|pbpb", (2, -2, 0)))
    for player, history, action in ((1, "p", "b"), (2, "pb", "p")):
        assert models[player].counts.sum() == 1
        found = models[player].mean()
        assert all(found[f"{player}: {card}|{history}"][action] == 1 for card in "TJQK")
