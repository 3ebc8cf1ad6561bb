"""Depth-limited solving: its loss, and value networks for the depth limit."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Context, Option

from tefuda.apps.cli.resolving import read_blueprint
from tefuda.apps.cli.shared import options
from tefuda.apps.cli.shared.common import GAME_OPTIONS, Section, command, listed, notifying, refuse_options, report
from tefuda.apps.cli.shared.reading import tree_of, whole_number
from tefuda.errors import out_of_range
from tefuda.words import count, non_negative

#: Options that each kind of leaf values allows.
_ALLOWED = {
    "exact": set[str](),
    "continuations": {"blueprint", "bias", "own"},
    "network": {"iterations", "train", "samples", "rounds", "steps", "seed"},
}


@command(context_settings=GAME_OPTIONS, **listed(Section.SOLVE, "tefuda lookahead kuhn --cut 2"))
def lookahead(
    context: Context,
    *,
    game: Annotated[str, Argument(help="A game, or with --leaves continuations a run folder.")],
    cut: Annotated[str, Option(help="Depth limit: deal (the next), or a number of moves.")] = "deal",
    leaves: Annotated[str, Option(help="Leaves: exact, continuations, or FILE of a network.")] = "exact",
    blueprint: options.Blueprint = "",
    bias: Annotated[str, Option(help="Actions for biased continuation strategies: f,c,r.")] = "",
    own: Annotated[float, Option(help="Number of continuation strategies of the searcher.")] = 1,
    iterations: Annotated[float, Option(help="Iterations per lookahead with a network.")] = 1000,
    train: Annotated[bool, Option("--train", help="Train the network first, or resume (extra deep).")] = False,
    samples: Annotated[float, Option(help="Training: subgames solved per round.")] = 2000,
    rounds: Annotated[float, Option(help="Training: number of rounds.")] = 3,
    steps: Annotated[float, Option(help="Training: gradient steps per round.")] = 2000,
    seed: options.Seed = 0,
    out: Annotated[Path | None, Option(help="File for the strategy profile.", callback=options.writable_file)] = None,
    force: options.Force = False,
    as_json: options.Json = False,
) -> None:
    """Play by depth-limited solving and evaluate the strategy.

    At each depth limit that play reaches, the agent solves a new lookahead, until the game ends within it.
    """
    from tefuda.apps.grids import Grid
    from tefuda.evaluating.values import evaluate
    from tefuda.resolving.limited.depth_limited import depth_limited

    kind = leaves if leaves in ("exact", "continuations") else "network"
    _check_options(context, kind, leaves, train)
    profile, named = None, ""
    if kind == "continuations":
        tree, profile, named = read_blueprint(context, game, blueprint, "", force)
    else:
        tree = tree_of(context, game, force)
    limit = whole_number("cut", float(cut)) if cut.isdecimal() else cut
    with notifying(f"{tree.name} lookahead") as notify:
        leaf_values = _network(context, tree, limit, notify) if kind == "network" else _leaves(kind, profile, bias, own)
        result = depth_limited(
            tree,
            limit,
            leaf_values,
            progress=lambda done, known: notify(f"{done:,} of {count(known, 'lookaheads')} solved"),
        )
    if out is not None:
        result.profile.save(out)
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
    report(as_json, content, [Grid(("", ""), rows, title)])


def _check_options(context: Context, kind: str, leaves: str, train: bool) -> None:
    refused = set[str]().union(*_ALLOWED.values()) - _ALLOWED[kind]
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
    file, iterations = Path(params["leaves"]), whole_number("iterations", params["iterations"])
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
