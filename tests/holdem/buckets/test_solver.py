"""Solver and evaluator of limit hold'em in buckets."""

import numpy as np
import pytest

import tefuda as td
from tefuda.errors import ParameterError, RunError
from tefuda.holdem.buckets import solver as bucket_solver
from tefuda.holdem.buckets.clusters import Buckets
from tefuda.holdem.buckets.local import local_response
from tefuda.holdem.buckets.sampler import BucketSampler
from tefuda.holdem.buckets.solver import BucketMethod, BucketSolver, HoldemBuckets, LocalResponseEvaluator, in_buckets
from tests.holdem import limits


def solver(seed=0, every=100):
    return BucketSolver(by_class(), BucketMethod(every=every), seed)


def by_class(players=2):
    """Return limit hold'em with a bucket for each class before the flop, and one bucket after it."""
    return HoldemBuckets(td.load_game("holdem", players=players, limit=True), Buckets(), limits.by_class(players))


def test_it_samples_as_the_sampler_does():
    one, other = solver(seed=3), BucketSampler(limits.by_class(2), 3, every=100)
    assert one.iterations == 0 and not one.state()["regret"].any()  # the kernel is loaded, and nothing is learned
    one.advance(250)
    other.advance(250)
    assert one.iterations == 250 and np.array_equal(one.average().sigma, other.average().sigma)
    assert np.array_equal(one.current().sigma, other.current().sigma)
    assert one.form.representation == "buckets" and one.form.title.startswith("holdem(players=2, limit=True")


def test_opponents_may_tremble():
    trembling = BucketSolver(by_class(), BucketMethod(tremble=0.5))
    trembling.advance(50)
    plain = solver(every=10_000)
    plain.advance(50)
    assert not np.array_equal(trembling.average().sigma, plain.average().sigma)


def test_discounts_come_less_often_where_tables_are_larger():
    limit, no_limit = (td.load_game("holdem", limit=value).rules for value in (True, False))
    assert (BucketMethod().every_in(limit), BucketMethod().every_in(no_limit)) == (10_000, 100_000)
    assert BucketMethod(every=0).every_in(no_limit) == 0 and solver(every=7).every == 7


def test_restored_states_have_the_same_bits():
    whole, part, again = solver(), solver(), solver()
    whole.advance(330)
    part.advance(130)
    again.restore(part.state())
    assert again.iterations == 130
    again.advance(200)
    for name, array in whole.state().items():
        assert np.array_equal(array, again.state()[name]), name


@pytest.mark.parametrize(
    "name, forge",
    [
        ("total", lambda array: array - 1),
        ("regret", lambda array: array * np.float32(np.nan)),
        ("regret", lambda array: array[1:]),
        ("iterations", lambda array: array - 1),
        ("hands", lambda array: array + 1),
    ],
)
def test_forged_states_are_refused(name, forge):
    one = solver()
    state = one.state()
    with pytest.raises(RunError):
        one.restore({**state, name: forge(state[name])})
    one.restore(state)


def test_every_table_of_buckets_counts_in_their_digest():
    tables = limits.by_class(2).sorted
    found = {bucket_solver._digest(tables)}
    for part in ("buckets", "flop", "turn", "river"):
        textures = part in ("turn", "river")
        table = getattr(tables.textures if textures else tables, part).copy()
        table.flat[0] += 1
        changed = {"textures": tables.textures._replace(**{part: table})} if textures else {part: table}
        found.add(bucket_solver._digest(tables._replace(**changed)))
    assert len(found) == 5


@pytest.mark.parametrize(
    "fields",
    [
        {"every": -1},
        {"tremble": "x"},
    ],
)
def test_methods_refused(fields):
    with pytest.raises(ParameterError):
        BucketMethod(**fields)


def test_trees_are_not_solved_in_buckets(kuhn):
    with pytest.raises(ParameterError, match="buckets"):
        td.solve(kuhn, BucketMethod())
    with pytest.raises(ParameterError, match="two players"):
        in_buckets(td.load_game("holdem", players=3))
    with pytest.raises(ParameterError, match="load_game"):
        in_buckets(td.load_game("kuhn"))


def test_the_evaluator_plays_a_local_best_response_on_deals_of_its_own():
    one = solver()
    one.advance(300)
    evaluator = LocalResponseEvaluator(60, seed=0)
    found = evaluator.evaluate(one)
    response = evaluator.response(one.average())
    assert (found.figure, found.high - found.figure) == pytest.approx(response.milliblinds)
    assert found.figure - found.low == pytest.approx(found.high - found.figure) and found.iterate == "average"
    assert response.winnings.shape == (2, 60)
    assert not np.array_equal(
        response.winnings, local_response(one.average(), 60, 0).winnings
    )  # not those of the sampler's seed
    assert (
        evaluator.evaluate(one)[2:5] == found[2:5]
        and LocalResponseEvaluator(60, seed=1).evaluate(one).figure != found.figure
    )


def test_evaluation_can_be_interrupted():
    """Interruption is possible every hundred hands; an uninterrupted evaluation has the same result."""
    one, asked = solver(), []
    one.advance(300)
    evaluator = LocalResponseEvaluator(2000)
    assert evaluator.evaluate_interruptible(one, lambda: asked.append(1) or len(asked) > 2) is None and len(asked) == 3
    evaluator = LocalResponseEvaluator(60)
    assert evaluator.evaluate_interruptible(one, lambda: False)[2:5] == evaluator.evaluate(one)[2:5]


def test_uniform_play_is_not_evaluated():
    found = LocalResponseEvaluator(60).evaluate(solver())
    assert found.iterate == "uniform" and np.isnan(found.figure)


def test_evaluators_refused():
    for deals, seed in ((1, 0), (2.5, 0), (1e17, 0), (10, -1)):
        with pytest.raises(ParameterError):
            LocalResponseEvaluator(deals, seed)
    with pytest.raises(ParameterError, match="players"):
        td.solve(td.load_game("kuhn"), "cfr", iterations=1, evaluator=LocalResponseEvaluator(10))
    three = BucketSolver(by_class(3), BucketMethod())
    with pytest.raises(ParameterError, match="players"):
        LocalResponseEvaluator(10).check(three, None)


def test_evaluators_see_no_training_deal(monkeypatch):
    """Deals follow from a seed; the evaluator's deals differ from those of any solver's seed."""
    asked, real = [], bucket_solver.local_responses

    def noted(policy, menus, hands, seed, **options):
        asked.append(seed)
        return real(policy, menus, hands, seed, **options)

    monkeypatch.setattr(bucket_solver, "local_responses", noted)
    policy = solver().average()
    for seed in (0, 0, 1, 2):
        LocalResponseEvaluator(2, seed).response(policy)
    assert asked[0] == asked[1] and len({*asked}) == 3 and not {*asked} & {*range(10_000)}
