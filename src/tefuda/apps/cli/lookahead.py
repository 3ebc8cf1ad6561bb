"""Depth-limited solving: what it costs, and networks that value what is below the depth limit."""

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

#: Options by the leaves that honour them.
_HONOURED = {
    "exact": set[str](),
    "plans": {"blueprint", "bend", "own"},
    "network": {"iterations", "train", "samples", "rounds", "steps", "seed"},
}


@command(context_settings=GAME_OPTIONS, **listed(Section.SOLVE, "tefuda lookahead kuhn --cut 2"))
def lookahead(
    context: Context,
    *,
    game: Annotated[str, Argument(help="A game, or with --leaves plans a run folder.")],
    cut: Annotated[str, Option(help="Depth limit: deal (the next), or a number of moves.")] = "deal",
    leaves: Annotated[str, Option(help="Leaf values: exact, plans, or FILE of a network.")] = "exact",
    blueprint: options.Blueprint = "",
    bend: Annotated[str, Option(help="Actions for biased continuation strategies: f,c,r.")] = "",
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

    kind = leaves if leaves in ("exact", "plans") else "network"
    _check_options(context, kind, leaves, train)
    profile, named = None, ""
    if kind == "plans":
        tree, profile, named = read_blueprint(context, game, blueprint, "", force)
    else:
        tree = tree_of(context, game, force)
    limit = whole_number("cut", float(cut)) if cut.isdigit() else cut
    with notifying(f"{tree.name} lookahead") as notify:
        way = _network(context, tree, limit, notify) if kind == "network" else _leaves(kind, profile, bend, own)
        found = depth_limited(
            tree, limit, way, progress=lambda done, known: notify(f"{done:,} of {count(known, 'lookaheads')} solved")
        )
    if out is not None:
        found.profile.save(out)
    evaluated, below = evaluate(found.profile), kind if kind != "network" else leaves
    error = way.function.error if kind == "network" else None
    about = {"game": tree.name, "game_parameters": tree.parameters, "cut": found.cut, "leaves": below}
    about |= {"blueprint": named} if named else {} if error is None else {"error": error}
    counts = {"subgames": found.subgames, "lookaheads": found.lookaheads}
    content = {**about, **counts, "nash_conv": evaluated.nash_conv, "values": evaluated.values.tolist()}
    rows = (
        ("subgames at the first cut", f"{found.subgames:,}"), ("lookaheads solved", f"{found.lookaheads:,}"),
        *((("error of the network", non_negative(error, 4)),) if error is not None else ()),
        ("NashConv", non_negative(evaluated.nash_conv, 6)),
    )  # fmt: skip
    title = f"{tree.title}, cut {found.cut}, below it {below}{f' of {named}' if named else ''}"
    report(as_json, content, [Grid(("", ""), rows, title)])


def _check_options(context: Context, kind: str, leaves: str, train: bool) -> None:
    others = set[str]().union(*_HONOURED.values()) - _HONOURED[kind]
    refuse_options(context, f"can do nothing with --leaves {leaves}; leave it out.", others)
    if not train:
        refuse_options(context, "is of training; give --train with it.", ("samples", "rounds", "steps", "seed"))
    if kind == "network" and train:
        options.writable_file(Path(leaves))
    if kind == "network" and not train and not os.path.isfile(leaves):
        raise out_of_range("--leaves", leaves, "exact, plans, or the file of a network (--train makes one)")


def _leaves(kind: str, profile: Any, bend: str, own: float) -> Any:
    """Return exact leaves, or plans to choose from."""
    from tefuda.resolving.limited.continuations import Continuations

    if kind == "exact":
        return "exact"
    tree, names = profile.tree, [name.strip() for name in bend.split(",") if name.strip()]
    labels = dict.fromkeys(label for number in range(tree.infosets) for label in tree.labels(number))
    bent = [label for name in names for label in [one for one in labels if str(one) == name] or [name]]
    return Continuations.biased(profile, bent, own=whole_number("own", own))


def _network(context: Context, tree: Any, cut: Any, notify: Any) -> Any:
    """Return leaves valued by the network in a file, which is trained first if asked."""
    from tefuda.resolving.limited.leaves import ValuedLeaves
    from tefuda.resolving.limited.network import ValueNetwork
    from tefuda.resolving.limited.samples import ValueTraining
    from tefuda.resolving.limited.training import train_values

    told = context.params
    file, iterations = Path(told["leaves"]), whole_number("iterations", told["iterations"])
    if not told["train"]:
        return ValuedLeaves(ValueNetwork.load(file, tree), iterations)
    way = ValueTraining(**{name: whole_number(name, told[name]) for name in ("samples", "rounds", "steps")})
    kept = file.with_name(f"{file.name}.training")

    def progress(one: Any) -> None:
        error = "" if one.error != one.error else f", error {non_negative(one.error, 4)} so far"
        notify(f"round {one.round} of {way.rounds}, {one.solved:,} of {one.wanted:,} subgames solved{error}")

    network = train_values(tree, cut, way, seed=told["seed"], checkpoint=kept, progress=progress)
    network.save(file)
    kept.unlink()
    return ValuedLeaves(network, iterations)
