"""Depth-limited solving: its loss, and value networks for the depth limit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from typer import Context, Option

from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import notifying, refuse_options, report
from tefuda.apps.cli.shared.reading import is_run, tree_of, whole_number
from tefuda.apps.cli.shared.runs import load_run
from tefuda.errors import ParameterError, out_of_range
from tefuda.words import count, non_negative

#: Options that each kind of leaf values allows.
_ALLOWED = {
    "exact": set[str](),
    "continuations": {"blueprint", "bias", "own"},
    "network": {"iterations", "train", "samples", "rounds", "steps", "seed"},
}


#: Options of `tefuda resolve --cut`; the blueprint, iterations, --force and --json are those of `tefuda resolve`.
OPTIONS: options.Options = {
    "cut": (str, "", "Solve with this depth limit: deal (the next), or moves."),
    "leaves": (str, "", "exact, continuations, FILE of a network; spots: solved, checked-down."),
    "bias": (str, "", "Actions for biased continuation strategies: f,c,r."),
    "own": (float, 1, "Number of continuation strategies of the searcher."),
    "train": (bool, False, Option("--train", help="Train the network first, or resume (extra deep).")),
    "samples": (float, 2000, "Training: subgames solved per round."),
    "rounds": (float, 3, "Training: number of rounds."),
    "steps": (float, 2000, "Training: gradient steps per round."),
    "seed": (int, 0, "Random seed of the training."),
    "each": (float, 2, "Leaves solved: iterations below per iteration of the street."),
    "below": (float, 400, "Spots: iterations of the later streets at the end."),
    "out": (Path | None, None, Option(help="File for the strategy profile.", callback=options.writable_file)),
}


def solve_depth_limited(context: Context, game: str) -> None:
    """Play by depth-limited solving and report the strategy; the options are `OPTIONS`."""
    from tefuda.apps.grids import Grid
    from tefuda.evaluating.values import evaluate
    from tefuda.resolving.limited.depth_limited import depth_limited

    params, cut, leaves = context.params, context.params["cut"], context.params["leaves"] or "exact"
    kind = leaves if leaves in ("exact", "continuations") else "network"
    _check_options(context, kind, leaves, params["train"])
    profile, named = None, ""
    if kind == "continuations":
        tree, profile, named = read_blueprint(context, game, params["blueprint"], "", params["force"])
    else:
        tree = tree_of(context, game, params["force"])
    limit = whole_number("cut", float(cut)) if cut.isdecimal() else cut
    with notifying(f"{tree.name} depth limit") as notify:
        leaf_values = (
            _network(context, tree, limit, notify)
            if kind == "network"
            else _leaves(kind, profile, params["bias"], params["own"])
        )
        result = depth_limited(
            tree,
            limit,
            leaf_values,
            progress=lambda done, known: notify(f"{done:,} of {count(known, 'lookaheads')} solved"),
        )
    if params["out"] is not None:
        result.profile.save(params["out"])
    evaluated, below = evaluate(result.profile), kind if kind != "network" else leaves
    error = leaf_values.function.error if kind == "network" else None
    about = {"game": tree.name, "game_parameters": tree.parameters, "cut": result.cut, "leaves": below}
    about |= {"blueprint": named} if named else {} if error is None else {"error": error}
    counts = {"subgames": result.subgames, "lookaheads": result.lookaheads}
    content = {**about, **counts, "nash_conv": evaluated.nash_conv, "values": evaluated.values.tolist()}
    rows = (
        ("subgames at the first depth limit", f"{result.subgames:,}"), ("lookaheads solved", f"{result.lookaheads:,}"),
        *((("error of the network", non_negative(error, 4)),) if error is not None else ()),
        ("NashConv", non_negative(evaluated.nash_conv, 6)),
    )  # fmt: skip
    title = f"{tree.title}, depth limit {result.cut}, leaf values {below}{f' of {named}' if named else ''}"
    report(params["as_json"], content, [Grid(("", ""), rows, title)])


def _check_options(context: Context, kind: str, leaves: str, train: bool) -> None:
    refused = {"each", "below"}.union(*_ALLOWED.values()) - _ALLOWED[kind]
    refuse_options(context, f"has no effect with --leaves {leaves}; leave it out.", refused)
    if not train:
        refuse_options(
            context, "needs --train; give it too, or leave this out.", ("samples", "rounds", "steps", "seed")
        )
    if kind == "network" and train:
        options.writable_file(Path(leaves))
    if kind == "network" and not train and not os.path.isfile(leaves):
        raise out_of_range("--leaves", leaves, "exact, continuations, or the file of a network (--train makes one)")


def _leaves(kind: str, profile: Any, bias: str, own: float) -> Any:
    """Return exact leaves, or continuation strategies to choose from."""
    from tefuda.resolving.limited.continuations import Continuations

    if kind == "exact":
        return "exact"
    tree, names = profile.tree, [name.strip() for name in bias.split(",") if name.strip()]
    labels = dict.fromkeys(label for number in range(tree.infosets) for label in tree.labels(number))
    biased = [label for name in names for label in [label for label in labels if str(label) == name] or [name]]
    return Continuations.biased(profile, biased, own=whole_number("own", own))


def _network(context: Context, tree: Any, cut: Any, notify: Any) -> Any:
    """Return leaves with the values of a network from a file, which --train trains first."""
    from tefuda.resolving.limited.leaves import ValuedLeaves
    from tefuda.resolving.limited.network import ValueNetwork
    from tefuda.resolving.limited.samples import ValueTraining
    from tefuda.resolving.limited.training import train_values

    params = context.params
    file, iterations = Path(params["leaves"]), whole_number("iterations", params["iterations"], 0) or 1000
    if not params["train"]:
        return ValuedLeaves(ValueNetwork.load(file, tree), iterations)
    training = ValueTraining(**{name: whole_number(name, params[name]) for name in ("samples", "rounds", "steps")})
    checkpoint = file.with_name(f"{file.name}.training")

    def report_progress(point: Any) -> None:
        error = "" if point.error != point.error else f", error {non_negative(point.error, 4)} so far"
        notify(f"round {point.round} of {training.rounds}, {point.solved:,} of {point.wanted:,} subgames solved{error}")

    network = train_values(tree, cut, training, seed=params["seed"], checkpoint=checkpoint, progress=report_progress)
    network.save(file)
    checkpoint.unlink()
    return ValuedLeaves(network, iterations)


def read_blueprint(context: Context, target: str, named: str, game: str, force: bool) -> tuple[Any, Any, str]:
    """Return the tree, the blueprint, and the name of the blueprint."""
    from tefuda.evaluating.profile import Profile
    from tefuda.solvers.runs.methods import METHODS
    from tefuda.solvers.runs.solving import solve

    if is_run(target):
        if named:
            raise ParameterError(f"the blueprint is the solution of {target}; leave --blueprint out, or name the game.")
        solution = load_run(Path(target), game, force, context)
        return solution.tree, solution.strategy, target
    if game:
        raise ParameterError(f"--game names the game of a run; {target} is no run folder.", key="game")
    name, colon, number = (named or "cfr:10").partition(":")
    if not (name in METHODS and number.isdecimal() if colon else name == "uniform" or os.path.exists(name)):
        allowed = "uniform, METHOD:ITERATIONS such as cfr:10 (tefuda methods), or the file of a profile"
        raise out_of_range("--blueprint", named, allowed)
    tree = tree_of(context, target, force)
    if colon:
        profile = solve(tree, name, iterations=whole_number("iterations", float(number))).strategy
        return tree, profile, f"{name}:{number}"
    return tree, Profile.uniform(tree) if name == "uniform" else Profile.load(name, tree), name
