"""Models of infosets: networks, or exact tables in their place, fitted to targets by weighted squares.

A table answers like a perfect fit, so with tables every method is tabular, and is tested as such. Network
outputs are in units of their targets' root mean square, so rates and losses do not depend on the size of
regrets. n rows, U units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import torch
from torch import nn

from tefuda.errors import ParameterError
from tefuda.solvers.deep.modules import backpropagate, build, device, last_layer, last_layer_inputs
from tefuda.solvers.learned.encoders import Encoder, Targets, TreeEncoder
from tefuda.solvers.learned.neural import Fit, InfosetFit

_CHUNK = 1 << 15  # rows a network answers for at once


def _chunks(rows: int) -> list[slice]:
    """Return slices of the rows that networks evaluate at once."""
    return [slice(first, first + _CHUNK) for first in range(0, rows, _CHUNK)]


class TabularModel:
    """A table over a tree's infosets with the exact weighted means of targets. Methods: see `Network`.

    Raises:
        ParameterError: there is no tree.
    """

    def __init__(self, encoder: Encoder) -> None:
        if not isinstance(encoder, TreeEncoder):
            raise ParameterError("network 'table' has a row for each infoset of a tree; rules need a real network.")
        self.encoder, self.values = encoder, np.zeros(encoder.simulator.infoset_legal.shape)

    def predict(self, observations: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """Return `[n, U]` float64; 0 where nothing was learned."""
        return self.values[observations]

    def fit(self, rows: Targets, fitting: InfosetFit, rng: np.random.Generator, fresh: bool) -> float:
        if fresh:
            self.values[:] = 0.0
        found = self.encoder.aggregate(rows)
        self.values[found.observations] = found.target
        return 0.0

    def state(self) -> dict[str, np.ndarray]:
        return {"values": self.values.copy()}

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        self.values[:] = state["values"]


class Network:
    """A PyTorch network.

    Args:
        encoder: encoder of the game.
        fit: size and kind of the network.
        rng: source of the first weights.
        probabilities: outputs and losses are probabilities: softmax over legal units.
        histories: inputs are histories, the observations of all players.
    """

    def __init__(
        self, encoder: Encoder, fit: Fit, rng: np.random.Generator, *, probabilities: bool = False,
        histories: bool = False,
    ) -> None:  # fmt: skip
        self.encoder, self.probabilities, self.histories = encoder, probabilities, histories
        self._rows = encoder.history_inputs if histories else encoder.inputs
        kind = fit.network if isinstance(fit, InfosetFit) else "connected"
        inputs = (encoder.history_width, 0) if histories else (encoder.width, encoder.vocabulary)
        self._shape = (kind, *inputs, fit.hidden, fit.layers, encoder.simulator.units)
        self.scale, self.net = 1.0, build(*self._shape, rng).to(device())

    def predict(self, observations: np.ndarray, legal: np.ndarray) -> np.ndarray:
        """Return `[n, U]` float64 outputs for observations."""
        if not len(observations):  # a player who never decides; attention refuses tensors without rows
            return np.zeros(legal.shape)
        with torch.no_grad():
            parts = [
                self._out(observations[chunk], torch.from_numpy(legal[chunk]).to(device())).cpu().numpy()
                for chunk in _chunks(len(observations))
            ]
        return np.concatenate(parts).astype(np.float64) * self.scale

    def _out(self, observations: np.ndarray, legal: torch.Tensor) -> torch.Tensor:
        out: torch.Tensor = self.net(self.read(observations))
        return masked_softmax(out, legal) if self.probabilities else out

    def read(self, observations: np.ndarray) -> torch.Tensor:
        """Return the inputs `[n, F]` as a tensor."""
        return torch.from_numpy(self._rows(observations)).to(device())

    def fit(self, rows: Targets, fitting: InfosetFit, rng: np.random.Generator, fresh: bool) -> float:
        """Fit the network to targets, if any, by a new Adam; return the last mean error.

        fresh: start from new weights.
        """
        if len(rows.observations) == 0:
            return 0.0
        if not self.probabilities:
            total = max(float(rows.weight.sum()), 1e-30)
            self.set_scale(float(np.sqrt((rows.target**2 * rows.weight).sum() / total)))
        rows = rows._replace(weight=rows.weight / (rows.weight.max(axis=1).mean() or 1.0))
        all_rows = self.encoder.aggregate(rows, self.histories) if fitting.batch == 0 else rows
        share = 1 / len(rows.observations) if fitting.batch == 0 else 1 / fitting.batch
        all_rows = all_rows._replace(weight=all_rows.weight * share)

        def drawn(step: int) -> Targets:
            if fitting.batch == 0:
                return all_rows
            places = rng.integers(len(all_rows.observations), size=fitting.batch)
            return self.encoder.aggregate(Targets(*(column[places] for column in all_rows)), self.histories)

        steps_per_pass = max(1, len(rows.observations) // (fitting.batch or len(rows.observations)))
        error = self.train(drawn, fitting, rng, fresh, steps_per_pass)
        if fitting.last_layer_fit == "least-squares" and not self.probabilities:
            self.solve_last_layer(rows)
        return error

    def train(
        self,
        drawn: Callable[[int], Targets],
        fitting: Fit,
        rng: np.random.Generator,
        fresh: bool,
        steps_per_pass: int = 1,
    ) -> float:
        """Descend on minibatches; see `fit`.

        Args:
            drawn: function of a step's number that returns its minibatch; weights are shares of the loss.
            fitting: settings.
            rng: source of new weights.
            fresh: start from new weights.
            steps_per_pass: steps of a pass over all rows.

        Returns:
            The last loss, in the targets' unit squared.
        """
        if fresh:
            self.net.load_state_dict(build(*self._shape, rng).state_dict())
        descent = Adam(self.net, fitting.rate, fitting.clip)
        patience, total, last = _Patience(self.net, fitting), 0.0, None
        for step in range(fitting.steps):
            if (rows := drawn(step)) is not last:
                loss, last = Loss(self, rows), rows
            backpropagate(self.net, loss.rows, loss)
            descent.step()
            if fitting.patience:
                total += loss.value
                if step % steps_per_pass == steps_per_pass - 1:
                    if patience.ends(total / steps_per_pass, descent):
                        break
                    total = 0.0
        patience.finish()
        return loss.value * self.scale**2

    def solve_last_layer(self, rows: Targets) -> None:
        """Solve for the last layer by least squares over rows; units without a weight are not changed.

        The ridge is 1e-5 of the inputs' mean square. Without it weights grow from fit to fit, and any step of
        the earlier layers does harm.
        """
        weight, bias = last_layer(self.net).parameters()
        width = weight.shape[1] + 1
        gram, moment = np.zeros((len(weight), width, width)), np.zeros((len(weight), width))
        for chunk in _chunks(len(rows.observations)):
            with torch.no_grad():
                read = last_layer_inputs(self.net, self.read(rows.observations[chunk]))
            inputs = np.hstack([read.cpu().double().numpy(), np.ones((len(read), 1))])
            for unit, counts in enumerate(rows.weight[chunk].T):
                weighted_inputs = inputs * counts[:, None]
                gram[unit] += weighted_inputs.T @ inputs
                moment[unit] += weighted_inputs.T @ rows.target[chunk, unit] / self.scale
        weighted = np.flatnonzero(rows.weight.any(axis=0))
        ridge = np.trace(gram[weighted], axis1=1, axis2=2) / width * 1e-5
        regularised = gram[weighted] + ridge[:, None, None] * np.eye(width)
        found = np.linalg.solve(regularised, moment[weighted, :, None])[..., 0]
        with torch.no_grad():
            weight[weighted] = torch.from_numpy(found[:, :-1]).to(weight)
            bias[weighted] = torch.from_numpy(found[:, -1]).to(bias)

    def set_scale(self, size: float) -> None:
        """Set the unit of outputs; predictions do not change."""
        if size > 0 and np.isfinite(size):
            with torch.no_grad():
                for weights in last_layer(self.net).parameters():
                    weights.mul_(self.scale / size)
            self.scale = size

    def state(self) -> dict[str, np.ndarray]:
        """Return copies of all arrays that change, by name."""
        weights = {name: weights.cpu().numpy().copy() for name, weights in self.net.state_dict().items()}
        return {"scale": np.array(self.scale)} | weights

    def restore(self, state: Mapping[str, np.ndarray]) -> None:
        """Restore a state of this shape."""
        self.scale = float(state["scale"])
        self.net.load_state_dict({name: torch.from_numpy(np.array(state[name])) for name in self.net.state_dict()})


#: A model of infosets.
Model = TabularModel | Network


class Loss:
    """Weighted squared errors of a minibatch; weights apply to each row, not to means."""

    def __init__(self, network: Network, rows: Targets) -> None:
        found = (rows.legal, (rows.target / network.scale).astype(np.float32), rows.weight.astype(np.float32))
        self._legal, self._target, self._weight = (torch.from_numpy(one).to(device()) for one in found)
        self.rows, self._shares = network.read(rows.observations), network.probabilities
        self._error = torch.zeros_like(self._target)

    def __call__(self, out: torch.Tensor) -> torch.Tensor:
        """Return the gradient by outputs `[n, U]`."""
        output = masked_softmax(out, self._legal) if self._shares else out
        self._error = output - self._target
        back = 2 * self._weight * self._error
        return output * (back - (output * back).sum(dim=1, keepdim=True)) if self._shares else back

    @property
    def value(self) -> float:
        """Loss at the last call."""
        return float((self._weight * self._error.square()).sum())


def masked_softmax(out: torch.Tensor, legal: torch.Tensor) -> torch.Tensor:
    """Return `[n, U]` softmax over legal units."""
    return out.masked_fill(~legal, -torch.inf).softmax(dim=1)


class Adam:
    """Adam (Kingma and Ba 2015) on all weights as one vector, with gradients clipped by norm.

    Args:
        net: network; its weights become views of the vector.
        rate: learning rate.
        clip: largest norm of a gradient.
        momentum: exponential decay rate of the mean gradient.
    """

    # For networks this small PyTorch's own takes four times as long with its clipping, and seconds to be imported.

    def __init__(self, net: nn.Module, rate: float, clip: float, momentum: float = 0.9) -> None:
        self.rate, self.clip, self.momentum, self.steps = rate, clip, momentum, 0
        # The weights of recurrent cells come first: cuDNN copies them at each call otherwise.
        cells = [part for part in net.modules() if isinstance(part, nn.RNNBase)]
        weights = list(dict.fromkeys(one for part in [*cells, net] for one in part.parameters()))
        self.vector = torch.cat([one.detach().reshape(-1) for one in weights])
        self.gradient, self.mean, self.square = (torch.zeros_like(self.vector) for _ in range(3))
        first = 0
        for one in weights:
            place = slice(first, first := first + one.numel())
            one.data, one.grad = self.vector[place].view_as(one), self.gradient[place].view_as(one)

    def step(self) -> None:
        """Take one step, and clear the gradients."""
        self.steps += 1
        gradient = self.gradient.mul_(torch.clamp(self.clip / (self.gradient.norm() + 1e-6), max=1.0))
        self.mean.lerp_(gradient, 1 - self.momentum)
        self.square.mul_(0.999).addcmul_(gradient, gradient, value=0.001)
        size = (self.square / (1 - 0.999**self.steps)).sqrt_().add_(1e-8)
        self.vector.addcdiv_(self.mean, size, value=-self.rate / (1 - self.momentum**self.steps))
        gradient.zero_()


class _Patience:
    """Patience of a fit: lowers the learning rate, and stores the best weights."""

    def __init__(self, net: nn.Module, fitting: Fit) -> None:
        self.net, self.fitting, self.best, self.waited = net, fitting, np.inf, 0
        self.best_weights: dict[str, torch.Tensor] = {}

    def ends(self, loss: float, descent: Adam) -> bool:
        """Process the loss of a pass over the rows; return whether it reaches the goal."""
        if loss < self.best:
            self.best, self.waited = loss, 0
            self.best_weights = {name: weights.clone() for name, weights in self.net.state_dict().items()}
        else:
            self.waited += 1
        if self.waited >= self.fitting.patience:
            self.waited = 0
            descent.rate = descent.rate * self.fitting.rate_factor if descent.rate > 1e-6 else self.fitting.rate
        return loss < self.fitting.loss_goal

    def finish(self) -> None:
        """Restore the best weights."""
        if self.best_weights:
            self.net.load_state_dict(self.best_weights)
