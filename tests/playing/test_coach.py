"""Coaches: values of actions, costs of decisions, and reports to a person."""

from itertools import chain, repeat

import numpy as np
import pytest

import tefuda as td
from tefuda.playing.agents import Decision
from tefuda.playing.coach import Advice, CoachReport, ProfileCoach, advice_text, coach_of
from tefuda.playing.human import PlayerQuit
from tefuda.playing.session import Rotation, Session
from tests.conftest import compiled


@pytest.mark.parametrize("name", ["kuhn", "leduc"])
def test_action_values_are_means_over_the_possible_histories(name):
    """Values equal sums over histories, weighted by the reach of chance and the opponents."""
    tree = compiled(name)
    profile = td.Profile.random(tree, np.random.default_rng(3))
    coach, values, found = (
        ProfileCoach("r", profile),
        td.evaluating.history_values(profile),
        td.evaluating.reach(profile),
    )
    for infoset in range(tree.infosets):
        player, rows = int(tree.infoset_player[infoset]), profile.rows(infoset)
        there = np.flatnonzero(tree.infoset == infoset)
        weights = found.counterfactual(player)[there]
        children = tree.first_child[there][:, None] + np.arange(rows.stop - rows.start)
        worths = weights @ values[children, player] / weights.sum()
        turn = Decision(infoset, tree.keys[infoset], tree.labels(infoset), 0.5, player)
        advice = coach.advise(turn)
        assert advice.values == pytest.approx(worths, abs=1e-12)
        assert advice.shares == tuple(profile.probabilities[rows])
        assert coach.advise(turn._replace(infoset=-1)) == advice, "where no tree is played on, views say where one is"


def test_values_of_unreachable_infosets_are_unknown():
    tree = compiled("kuhn")
    passive = td.Profile.from_function(tree, lambda player, view, actions: [1.0, 0.0])
    number = tree.number("1: K|b")
    advice = ProfileCoach("p", passive).advise(Decision(number, "K|b", ("p", "b"), 0.5, 1))
    assert np.isnan(advice.values).all() and advice.shares == (1.0, 0.0)
    coach_report = CoachReport()
    assert "unknown" in coach_report.add(advice, 0)
    assert coach_report == CoachReport(decisions=1, unknown=1)
    assert coach_report.result() == ""
    coach_report.add(Advice((0.5, 0.5), (1.0, 1.0)), 0)
    assert coach_report.result() == "2 decisions, no mistake; 1 of unknown cost."
    assert advice_text(advice, ("fold", "call")) == "fold 100.00 %; call 0.00 %"


def test_the_cost_of_a_decision_is_the_loss_to_the_best_action():
    coach_report, advice = CoachReport(), Advice((0.25, 0.75), (1.0, 3.0))
    assert coach_report.add(advice, 1) == "as good as any"
    assert coach_report.add(advice, 0) == "that costs 2"
    assert coach_report.add(advice, 0, precision=2.0) == "as good as any", "infosets that the coach merges"
    assert coach_report.add(Advice((0.5, 0.5), (-1.0, -0.996)), 0) == "as good as any"
    assert coach_report == CoachReport(decisions=4, mistakes=1, cost=2.0)
    assert coach_report.result() == "4 decisions, 1 mistake that cost 2."
    assert advice_text(advice, ("check", "bet")) == "check 25.00 %, worth +1.000; bet 75.00 %, worth +3.000"


def test_agents_without_a_policy_cannot_coach():
    tree = compiled("kuhn")
    uniform = td.Profile.uniform(tree)
    coach = coach_of(td.ProfileAgent("u", uniform), uniform.tree.game)
    assert coach.name == "u"
    assert coach.precision == pytest.approx(td.exploitability(uniform))
    with pytest.raises(td.errors.ParameterError, match="no fixed strategy"):
        coach_of(td.RandomAgent(), td.load_game("kuhn"))


def test_a_person_reads_costs_of_decisions_and_may_ask_for_hints():
    """Against constant bets, hints change nothing, and the costs add up to the reported total."""
    tree = compiled("kuhn")
    lines, queue = [], chain(["hint", "b"], repeat("p"))
    person = td.HumanAgent(ask=lambda question: next(queue), notify=lines.append)
    person.coach = ProfileCoach("uniform", td.Profile.uniform(tree))
    raiser = td.ProfileAgent("r", td.Profile.from_function(tree, lambda player, view, actions: [0.0, 1.0]))
    sitting = Session(tree.game, person, [[raiser], [raiser]], 1, Rotation(tree.game, 6), tree)
    sitting.play()
    advised = [line for line in lines if line.startswith("uniform: ")]
    assert len(advised) == person.coach_report.decisions + 1 and advised[1].startswith(advised[0])
    costs = [float(line.split("that costs ")[1][:-1]) for line in advised if "that costs" in line]
    assert len(costs) == person.coach_report.mistakes > 0
    assert sum(costs) == pytest.approx(person.coach_report.cost, rel=1e-2)
    assert any(line.endswith(f"{person.coach_report.result()}\n") for line in lines)
    assert "hint: the coach's strategy here." in person.command_lines()


def test_without_a_coach_no_costs_are_shown():
    tree, lines = compiled("kuhn"), []
    queue = chain(["hint"], repeat("q"))
    person = td.HumanAgent(ask=lambda question: next(queue), notify=lines.append)
    others = [[td.RandomAgent()], [td.RandomAgent()]]
    with pytest.raises(PlayerQuit):
        Session(tree.game, person, others, 1, Rotation(tree.game, 1), tree).play()
    assert any("'hint' is none of" in line for line in lines) and "decision" not in person.result()


def test_a_policy_without_a_tree_shows_its_probabilities():
    policy = td.Profile.uniform(compiled("kuhn"))
    coach = coach_of(td.PolicyAgent("mine", policy), td.load_game("kuhn"))
    advice = coach.advise(Decision(-1, "K|b", ("p", "b"), 0.5, 1))
    assert coach.name == "mine" and advice.shares == (0.5, 0.5) and np.isnan(advice.values).all()
