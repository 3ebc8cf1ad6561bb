"""Networks and tables: weighted fits, network kinds on sequences, masks and seeds."""

import numpy as np
import pytest

import tefuda as td
from tefuda.forms.simulate import TreeSimulator
from tefuda.solvers.learned import neural
from tefuda.solvers.sampled import levels
from tests.conftest import compiled

torch = pytest.importorskip("torch", reason="PyTorch is not installed: make test-deep")
from tefuda.solvers.deep import models, modules  # noqa: E402
from tefuda.solvers.learned import encoders  # noqa: E402

pytestmark = pytest.mark.deep


@pytest.fixture(autouse=True)
def single_thread():
    """Train in one thread, as solvers do."""
    with modules.single_thread():
        yield


SEQUENCES = [kind for kind in neural.NETWORKS if kind not in ("connected", "table")]


def network(encoder, units, kind="connected"):
    assert encoder.simulator.units == units
    return models.Network(encoder, neural.InfosetFit(16, 1, network=kind), np.random.default_rng(1))


def two_rows(first, units, targets):
    """Return the same infoset twice, with weights 1 and 3."""
    observations, legal = np.array([first, first], dtype=np.int32), np.ones((2, units), dtype=bool)
    return encoders.Targets(observations, legal, np.array(targets), np.array([[1.0] * units, [3.0] * units]))


@pytest.mark.parametrize("batch", [0, 512])
@pytest.mark.parametrize("kind", ["regrets", "policy", "baseline"])
def test_weights_act_on_rows(kind, batch):
    """Targets 0 with weight 1 and 1 with weight 3 fit to .75, for regrets, policies and history values."""
    simulator = TreeSimulator(compiled("kuhn"))
    encoder, first = encoders.make_encoder(simulator, False), 0
    model = models.Network(
        encoder, neural.Fit(16, 1), np.random.default_rng(1), probabilities=kind == "policy",
        histories=kind == "baseline",
    )  # fmt: skip
    if kind == "baseline":
        first = int(np.flatnonzero(simulator.tree.player == 0)[0])
    rows = two_rows(first, 2, [[0.0, 1.0], [1.0, 0.0]])
    fitting = neural.InfosetFit(steps=400, batch=batch, rate=0.02)
    model.fit(rows, fitting, np.random.default_rng(2), fresh=True)
    assert model.predict(rows.observations[:1], rows.legal[:1])[0] == pytest.approx([0.75, 0.25], abs=0.01)


def test_tables_fit_exactly():
    encoder = encoders.make_encoder(TreeSimulator(compiled("kuhn")), False)
    table = models.TabularModel(encoder)
    rows = two_rows(3, 2, [[0.0, 1.0], [1.0, 0.0]])
    table.fit(rows, neural.InfosetFit(steps=1, batch=0, rate=1.0), np.random.default_rng(0), fresh=False)
    assert table.predict(rows.observations, rows.legal).tolist() == [[0.75, 0.25]] * 2
    table.fit(
        rows._replace(observations=np.array([4, 4])),
        neural.InfosetFit(steps=1, batch=0, rate=1.0),
        np.random.default_rng(0),
        fresh=True,
    )
    assert not table.values[3].any() and table.values[4].tolist() == [0.75, 0.25]
    rules = encoders.make_encoder(td.forms.RulesSimulator(td.load_game("kuhn")), False)
    with pytest.raises(td.errors.ParameterError, match="network"):
        models.TabularModel(rules)


def test_units_of_answers_change_and_answers_do_not():
    encoder = encoders.make_encoder(TreeSimulator(compiled("kuhn")), False)
    model, observations = network(encoder, 2), np.arange(12, dtype=np.int32)
    legal = np.ones((12, 2), dtype=bool)
    rows = encoders.Targets(observations, legal, np.random.default_rng(3).normal(0, 1e6, (12, 2)), legal.astype(float))
    model.fit(rows, neural.InfosetFit(steps=800, batch=0, rate=0.01), np.random.default_rng(4), fresh=False)
    before = model.predict(observations, legal)
    assert np.abs(before - rows.target).max() < 1e5  # learned at rates that do not depend on the unit
    model.set_scale(1.0)
    assert np.allclose(model.predict(observations, legal), before, rtol=1e-4)


@pytest.mark.parametrize("kind", SEQUENCES)
def test_sequences_of_all_lengths(kind):
    """Answers do not depend on padding, on its length or on the order of the batch."""
    rng = np.random.default_rng(5)
    net = modules.build(kind, 9, 20, 16, 2, 3, rng)
    with torch.no_grad():
        for weights in modules.last_layer(net).parameters():
            weights.copy_(torch.from_numpy(rng.normal(size=tuple(weights.shape))))
    tokens = np.zeros((9, 9), dtype=np.int64)
    for length in range(1, 10):
        tokens[length - 1, :length] = rng.integers(1, 20, length)
    with torch.no_grad():
        whole = net(torch.from_numpy(tokens))
        order = rng.permutation(9)
        assert torch.allclose(net(torch.from_numpy(tokens[order])), whole[order], atol=1e-6)
        for length in range(1, 10):
            alone = net(torch.from_numpy(tokens[length - 1 : length, :length]))
            assert torch.allclose(alone[0], whole[length - 1], atol=1e-6)
    assert whole.std(dim=0).min() > 0.01


@pytest.mark.parametrize("kind", ["connected", *SEQUENCES])
def test_every_network_distinguishes_infosets(kind):
    """Each network fits a different target at each infoset of Kuhn poker, over the tree and over views."""
    tree = compiled("kuhn")
    encoder = encoders.make_encoder(TreeSimulator(tree), kind != "connected")
    model, observations, legal = network(encoder, 2, kind), np.arange(12, dtype=np.int32), np.ones((12, 2), dtype=bool)
    target = np.random.default_rng(6).normal(size=(12, 2))
    rows = encoders.Targets(observations, legal, target, legal.astype(float))
    model.fit(rows, neural.InfosetFit(steps=500, batch=0, rate=0.01), np.random.default_rng(7), fresh=False)
    assert ((model.predict(observations, legal) - target) ** 2).mean() < 0.05
    views = encoders.make_encoder(td.forms.RulesSimulator(tree.game, encoded=True), kind != "connected")
    read = np.concatenate([views.encode_view(key, 0) for key in tree.keys[:2]])
    assert len(np.unique(read, axis=0)) == 2 and read.shape[1] == views.width


def test_patience_cools_and_keeps_the_best(monkeypatch):
    """A small enough loss ends the fit; the returned weights are those of the least loss."""
    encoder = encoders.make_encoder(TreeSimulator(compiled("kuhn")), False)
    model, legal = network(encoder, 2), np.ones((12, 2), dtype=bool)
    rows = encoders.Targets(np.arange(12, dtype=np.int32), legal, np.eye(2)[np.arange(12) % 2], legal.astype(float))
    looked = []
    descend = models.backpropagate
    monkeypatch.setattr(models, "backpropagate", lambda *given: looked.append(0) or descend(*given))
    fitting = neural.InfosetFit(steps=5000, batch=0, rate=0.01, patience=5, loss_goal=1e-3)
    model.fit(rows, fitting, np.random.default_rng(8), fresh=False)
    assert 10 < len(looked) < 5000
    assert ((model.predict(rows.observations, legal) - rows.target) ** 2).sum(axis=1).mean() < 0.01


@pytest.mark.parametrize("kind", ["connected", "lstm+attention"])
def test_the_last_layer_is_solved_for(kind, monkeypatch):
    """Twelve infosets with sixteen inputs of the last layer are fitted exactly, in batches and at once."""
    encoder = encoders.make_encoder(TreeSimulator(compiled("kuhn")), kind != "connected")
    observations, legal = np.arange(12, dtype=np.int32), np.ones((12, 2), dtype=bool)
    rows = encoders.Targets(observations, legal, np.random.default_rng(3).normal(0, 50, (12, 2)), legal.astype(float))
    errors = []
    for solved, lot in ((False, 100), (True, 100), (True, 5)):
        monkeypatch.setattr(models, "_CHUNK", lot)
        model = network(encoder, 2, kind)
        model.fit(
            rows,
            neural.InfosetFit(steps=40, batch=0, rate=0.01, last_layer_fit="least-squares" if solved else "adam"),
            np.random.default_rng(4),
            fresh=False,
        )
        errors.append(np.abs(model.predict(observations, legal) - rows.target).max())
    assert errors[0] > 5 and max(errors[1:]) < 0.5


def test_least_squares_weigh_rows_and_skip_units_without_weight():
    """Targets 0 and 1 with weights 1 and 3 give .75; units without weight are unchanged."""
    encoder = encoders.make_encoder(TreeSimulator(compiled("kuhn")), False)
    rows, first = two_rows(3, 2, [[0.0, 1.0], [1.0, 0.0]]), np.array([3], dtype=np.int32)
    rows = rows._replace(weight=rows.weight * [[1.0, 0.0]])
    model = network(encoder, 2)
    with torch.no_grad():
        modules.last_layer(model.net).bias += 2.0
        modules.last_layer(model.net).weight += 1e4  # where one row is uninformative: they must change
    before = model.predict(first, rows.legal[:1])[0, 1]
    model.solve_last_layer(rows)
    assert model.predict(first, rows.legal[:1])[0] == pytest.approx([0.75, before], abs=1e-4)
    assert modules.last_layer(model.net).weight[0].norm() < 2


def test_regret_matching_falls_back_as_set():
    """Illegal actions get 0; without positive regret the best legal action, or all of them, are played."""
    regret = np.array([[-1.0, -2.0, 5.0], [-3.0, -1.0, -2.0], [1.0, 3.0, -1.0]])
    legal = np.array([[True, True, False], [True, True, True], [True, True, True]])
    assert levels.match_regrets(regret, legal, "argmax").tolist() == [[1, 0, 0], [0, 1, 0], [0.25, 0.75, 0]]
    uniform = levels.match_regrets(regret, legal, "uniform")
    assert np.allclose(uniform, [[0.5, 0.5, 0], [1 / 3, 1 / 3, 1 / 3], [0.25, 0.75, 0]], atol=1e-15)


def test_building_leaves_the_generator_of_torch_alone():
    """Weights depend on the given generator only."""
    before = torch.random.get_rng_state()
    nets = [modules.build("lstm+attention", 5, 9, 8, 1, 3, np.random.default_rng(9)) for _ in range(2)]
    assert torch.equal(torch.random.get_rng_state(), before)
    one, other = (net.state_dict() for net in nets)
    assert all(torch.equal(one[name], other[name]) for name in one) and one["attention_layer.weight"].abs().sum() > 0


def test_descent_is_that_of_torch():
    """Twenty steps of Adam with clipped gradients equal PyTorch's."""
    nets = [modules.build("connected", 4, 0, 8, 2, 3, np.random.default_rng(10)) for _ in range(2)]
    rows = torch.from_numpy(np.random.default_rng(11).normal(size=(20, 16, 4)).astype(np.float32))
    ours, theirs = models.Adam(nets[0], 0.01, 0.5), torch.optim.Adam(nets[1].parameters(), lr=0.01)
    for batch in rows:
        for net in nets:
            (net(batch) - batch[:, :3]).square().mean().backward()
        ours.step()
        torch.nn.utils.clip_grad_norm_(nets[1].parameters(), 0.5)
        theirs.step()
        theirs.zero_grad()
    for one, other in zip(*(net.parameters() for net in nets), strict=True):
        assert torch.allclose(one, other, atol=1e-6)


@pytest.mark.parametrize("shares", [False, True])
def test_gradients_are_those_of_torch(shares):
    """Gradients of weighted squared errors, of outputs and of probabilities, through three layers."""
    encoder, rng = encoders.make_encoder(TreeSimulator(compiled("leduc")), False), np.random.default_rng(12)
    model = models.Network(encoder, neural.Fit(8, 3), rng, probabilities=shares)
    for weights in model.net.parameters():
        weights.data, weights.grad = torch.from_numpy(rng.normal(size=weights.shape)).to(weights), None
    observations = np.arange(0, 288, 9, dtype=np.int32)
    legal = encoder.simulator.infoset_legal[observations]
    rows = encoders.Targets(
        observations, legal, rng.normal(size=legal.shape), legal * rng.random((len(observations), 1))
    )
    legal, target, weight = (torch.from_numpy(one).to(modules.device()) for one in (legal, rows.target, rows.weight))
    out = model.net(model.read(observations))
    said = out.masked_fill(~legal, -torch.inf).softmax(dim=1) if shares else out
    (weight * (said - target).square()).sum().backward()
    theirs = [weights.grad for weights in model.net.parameters()]
    for weights in model.net.parameters():
        weights.grad = torch.zeros_like(weights)
    loss = models.Loss(model, rows)
    modules.backpropagate(model.net, loss.rows, loss)
    for weights, grad in zip(model.net.parameters(), theirs, strict=True):
        assert grad.abs().max() > 1e-3 and torch.allclose(weights.grad, grad.float(), rtol=1e-3, atol=1e-4)
    assert loss.value == pytest.approx(float((weight * (said - target).square()).sum().detach()), rel=1e-5)
