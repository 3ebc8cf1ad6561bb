"""Reviews of finished hands: costs, verdicts, and luck apart from skill, without hidden information."""

from itertools import cycle

import numpy as np
import pytest

import tefuda as td
from tefuda.exploiting.fitting import moves_of
from tefuda.playing.agents import PolicyAgent
from tefuda.playing.coach import Advice, PolicyCoach, ProfileCoach
from tefuda.playing.review import Reviewer, Thresholds, decisions_of
from tefuda.playing.session import FinishedHand, Rotation, Session
from tefuda.playing.table import HandEnd
from tefuda.playing.variance import estimates_against
from tests.conftest import compiled


def session_of(tree, answers, others, hands=6, seed=1):
    """Return a finished session of a person who gives answers in turn."""
    queue = cycle(answers)
    person = td.HumanAgent(ask=lambda question: next(queue), notify=lambda line: None)
    seats = [others] * tree.players
    session = Session(tree.game, person, seats, seed, Rotation(tree.game, hands), tree)
    session.play()
    return session


@pytest.mark.parametrize("name, parameters", [("leduc", {}), ("kuhn", {"players": 3}), ("goofspiel", {"cards": 3})])
def test_estimates_against_known_opponents_are_unbiased(name, parameters):
    """The person's strategy is arbitrary; the estimate depends on its infosets and actions alone."""
    tree, rng = compiled(name, **parameters), np.random.default_rng(3)
    known, mine = td.Profile.random(tree, rng), td.Profile.random(tree, rng)
    for player in range(tree.players):
        found = estimates_against(known, player, rng.normal(size=len(tree.player))).aivat
        true = known.replace(player, mine)
        chances = td.evaluating.reach(true).total[tree.terminals]
        assert chances @ found == pytest.approx(td.values(true)[player], abs=1e-12)
        paths = {}
        for value, end in zip(found.tolist(), tree.terminals.tolist(), strict=True):
            own = tuple(
                (decision.infoset, index)
                for decision, index in decisions_of(tree.game, tree.history(end), player, tree)
            )
            paths.setdefault(own, set()).add(round(value, 9))
        assert all(len(values) == 1 for values in paths.values())


def test_skill_is_the_value_of_the_game_minus_the_costs():
    """Against the coach's profile: estimate = value + sum of (value of the action - of the infoset)."""
    tree = compiled("leduc")
    profile = td.Profile.random(tree, np.random.default_rng(5))
    session = session_of(tree, "crcfc", [td.ProfileAgent("coach", profile)], hands=30)
    reviewer, values = Reviewer(ProfileCoach("coach", profile)), td.values(profile)
    for number, hand in enumerate(session.ended):
        review = reviewer.review(session, number)
        gains = [
            entry.advice.values[entry.chosen] - np.dot(entry.advice.shares, entry.advice.values)
            for entry in review.decisions
        ]
        assert review.skill == pytest.approx(values[review.seat] + sum(gains), abs=1e-9)
        assert review.payoff == hand.won[0] and review.seat == hand.seating.index(0)
        assert review.cost == pytest.approx(sum(entry.cost for entry in review.decisions if entry.verdict != "fine"))


def test_opponents_with_a_profile_follow_it():
    """Estimates are those of the profile in which the opponent always bets."""
    tree = compiled("kuhn")
    raiser, flat = td.named_agents(tree, ["always-raise"])[0], td.Profile.uniform(tree)
    reviewer, session = Reviewer(ProfileCoach("uniform", flat)), session_of(tree, "b", [raiser], hands=1)
    against = estimates_against(flat.replace(1, raiser.profile), 0).aivat
    other = estimates_against(flat, 0).aivat
    for number, end in enumerate(tree.terminals.tolist()):
        session.ended[:] = [FinishedHand((0, 1), (0.0, 0.0), end_of(tree, end))]
        review = reviewer.review(session, 0)
        assert review.skill == pytest.approx(against[number])
        assert review.luck == pytest.approx(review.payoff - review.skill)
    assert np.abs(against - other).max() > 0.1


def test_luck_is_unknown_against_unknown_strategies():
    tree = compiled("kuhn")
    session = session_of(tree, "b", [td.RandomAgent()], hands=1)
    review = Reviewer(ProfileCoach("uniform", td.Profile.uniform(tree))).review(session, 0)
    assert np.isnan(review.luck) and np.isnan(review.skill)
    assert review.decisions and not any(np.isnan(entry.cost) for entry in review.decisions)


def end_of(tree, end):
    """Return the end of a hand at a terminal history."""
    labels = tree.history(end)
    return HandEnd(tree.payoffs_at(end), moves_of(tree, labels)[0], end, tree.state(end), labels)


def test_hidden_cards_do_not_change_a_review():
    """Hands that differ only in cards which the person never sees have equal reviews."""
    tree = compiled("leduc")
    profile = td.Profile.random(tree, np.random.default_rng(5))
    session, reviewer = (
        session_of(tree, "c", [td.ProfileAgent("o", profile)], hands=1),
        Reviewer(ProfileCoach("c", profile)),
    )
    seen = {}
    for end in tree.terminals.tolist():
        labels = tree.history(end)
        if labels[-1] != "f":
            continue
        state = tree.state(end)
        if tree.game.shown(state)[1]:
            continue
        session.ended[:] = [FinishedHand((0, 1), (0.0, 0.0), end_of(tree, end))]
        review = reviewer.review(session, 0)
        seen.setdefault(tree.game.view(state, 0), set()).add((review.decisions, review.payoff, round(review.luck, 9)))
    assert len(seen) > 50 and all(len(reviews) == 1 for reviews in seen.values())


def test_verdicts_follow_the_thresholds():
    advice = Advice((0.5, 0.5), (1.0, 3.0))
    assert [Thresholds().verdict(advice, index) for index in (0, 1)] == ["blunder", "fine"]
    assert Thresholds(0.0, 2.5).verdict(advice, 0) == "slip"
    assert Thresholds(0.0, 1.5).verdict(advice, 0) == Thresholds(0.0, 2.0).verdict(advice, 0) == "blunder"
    assert Thresholds(2.1, 2.5).verdict(advice, 0) == "fine"
    assert Thresholds(0.0, 0.5).verdict(advice, 0, precision=2.0) == "fine"
    assert Thresholds().verdict(Advice((0.5, 0.5), (float("nan"),) * 2), 0) == "unknown"
    coach = PolicyCoach("p", td.Profile.uniform(compiled("kuhn")))
    with pytest.raises(td.errors.ParameterError) as caught:
        Reviewer(coach, Thresholds(1.0, 0.5))
    assert caught.value.key == "blunder"


def test_without_a_tree_shares_are_known_and_values_are_not():
    rules = td.load_game("kuhn")
    profile = td.Profile.uniform(compiled("kuhn"))
    person = td.HumanAgent(ask=lambda question: "p", notify=lambda line: None)
    others = [[PolicyAgent("o", profile)]] * 2
    session = Session(rules, person, others, 1, Rotation(rules, 2))
    session.play()
    review = Reviewer(PolicyCoach("p", profile)).review(session, 1)
    assert review.seat == 1 and np.isnan(review.luck) and review.cost == 0
    assert {entry.verdict for entry in review.decisions} == {"unknown"}
    assert all(entry.advice.shares == (0.5, 0.5) and entry.decision.infoset == -1 for entry in review.decisions)
    with pytest.raises(td.errors.ParameterError):
        Reviewer(PolicyCoach("p", profile)).review(session, 2)
