"""Looking only so far ahead: what it costs, and networks that value what is below."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from tefuda.apps.cli.resolving import read_blueprint
from tefuda.apps.cli.shared.common import (
    GAME_OPTIONS,
    Force,
    Json,
    Seed,
    command,
    given,
    print_json,
    to_write,
    tree_of,
    whole,
)
from tefuda.errors import ParameterError
from tefuda.words import count, distance

#: Options by the leaves that honour them.
_HONOURED = {
    "exact": (),
    "plans": ("blueprint", "bend", "own"),
    "network": ("iterations", "train", "samples", "rounds", "steps", "seed"),
}


@command(context_settings=GAME_OPTIONS)
def lookahead(
    context: typer.Context,
    *,
    game: Annotated[str, typer.Argument(help="A game's name, or file.py:Class; with --leaves plans a run folder too.")],
    cut: Annotated[str, typer.Option(help="How far: deal (the next one after a move), or so many moves.")] = "deal",
    leaves: Annotated[
        str, typer.Option(help="What is below: exact, plans to choose from, or FILE of a network.")
    ] = "exact",
    blueprint: Annotated[str, typer.Option(help="Of plans: uniform, METHOD:ITERATIONS, or a profile.npz.")] = "",
    bend: Annotated[str, typer.Option(help="Plans bent to these actions too, with commas: f,c,r.")] = "",
    own: Annotated[float, typer.Option(help="Among how many plans the player itself chooses.")] = 1,
    iterations: Annotated[float, typer.Option(help="Of each lookahead with a network.")] = 1000,
    train: Annotated[
        bool, typer.Option("--train", help="Train the network first (extra deep); goes on where it was.")
    ] = False,
    samples: Annotated[float, typer.Option(help="Of training: subgames solved in a round.")] = 2000,
    rounds: Annotated[float, typer.Option(help="Of training.")] = 3,
    steps: Annotated[float, typer.Option(help="Of training: of descent in a round.")] = 2000,
    seed: Seed = 0,
    out: Annotated[Path | None, typer.Option(help="Write the whole profile to this file.", callback=to_write)] = None,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Play by looking only so far ahead, and judge the whole.

    Again at every cut that play comes to, until the end of the game is in sight.
    """
    from tefuda.apps.display import telling
    from tefuda.resolving.limited.foresight import depth_limited

    kind = leaves if leaves in ("exact", "plans") else "network"
    _check_options(context, kind, leaves, train)
    tree, profile, named = (
        read_blueprint(context, game, blueprint, "", force)
        if kind == "plans"
        else (tree_of(context, game, force), None, "")
    )
    limit = whole("cut", float(cut)) if cut.isdigit() else cut
    with telling(f"{tree.name} lookahead") as tell:
        way = _network(context, tree, limit, tell) if kind == "network" else _leaves(kind, profile, bend, own)
        found = depth_limited(
            tree, limit, way, progress=lambda done, known: tell(f"{done:,} of {count(known, 'lookaheads')} solved")
        )
    if out is not None:
        found.profile.save(out)
    _show(found, kind if kind != "network" else leaves, named, way, as_json)


def _check_options(context: typer.Context, kind: str, leaves: str, train: bool) -> None:
    """Refuse options that these leaves cannot honour."""
    others = {name for names in _HONOURED.values() for name in names} - set(_HONOURED[kind])
    for name, option in given(context).items():
        if name in others:
            raise ParameterError(f"{option} can do nothing with --leaves {leaves}; leave it out.")
        if name in ("samples", "rounds", "steps", "seed") and not train:
            raise ParameterError(f"{option} is of training; give --train with it.")
    if kind == "network" and train:
        to_write(Path(leaves))
    if kind == "network" and not train and not os.path.isfile(leaves):
        raise ParameterError(
            f"--leaves is {leaves!r}; write exact, plans, or the file of a network (--train makes one)."
        )


def _leaves(kind: str, profile: Any, bend: str, own: float) -> Any:
    """Exact leaves, or plans to choose from."""
    from tefuda.resolving.limited.continuations import Continuations

    if kind == "exact":
        return "exact"
    tree, names = profile.tree, [name.strip() for name in bend.split(",") if name.strip()]
    labels = dict.fromkeys(label for number in range(tree.infosets) for label in tree.labels(number))
    bent = [label for name in names for label in [one for one in labels if str(one) == name] or [name]]
    return Continuations.biased(profile, bent, own=whole("own", own))


def _network(context: typer.Context, tree: Any, cut: Any, tell: Any) -> Any:
    """The network in a file, trained first if asked."""
    from tefuda.resolving.limited.leaves import ValuedLeaves
    from tefuda.resolving.limited.network import ValueNetwork
    from tefuda.resolving.limited.samples import ValueTraining
    from tefuda.resolving.limited.training import train_values

    told = context.params
    file, iterations = Path(told["leaves"]), whole("iterations", told["iterations"])
    if not told["train"]:
        return ValuedLeaves(ValueNetwork.load(file, tree), iterations)
    way = ValueTraining(**{name: whole(name, told[name]) for name in ("samples", "rounds", "steps")})
    kept = file.with_name(f"{file.name}.training")

    def progress(one: Any) -> None:
        error = "" if one.error != one.error else f", error {distance(one.error, 4)} so far"
        tell(f"round {one.round} of {way.rounds}, {one.solved:,} of {one.wanted:,} subgames solved{error}")

    network = train_values(tree, cut, way, seed=told["seed"], checkpoint=kept, progress=progress)
    network.save(file)
    kept.unlink()
    return ValuedLeaves(network, iterations)


def _show(found: Any, leaves: str, blueprint: str, way: Any, as_json: bool) -> None:
    from tefuda.apps.display import out, table_of
    from tefuda.apps.grids import Grid
    from tefuda.judging.values import judge

    tree, error = found.profile.tree, getattr(getattr(way, "function", None), "error", None)
    judged = judge(found.profile)
    if as_json:
        said = {"game": tree.name, "game_parameters": tree.parameters, "cut": found.cut, "leaves": leaves}
        known = {"blueprint": blueprint} if blueprint else {} if error is None else {"error": error}
        counts = {"subgames": found.subgames, "lookaheads": found.lookaheads}
        print_json({**said, **known, **counts, "nash_conv": judged.nash_conv, "values": judged.values.tolist()})
        return
    extra = (("error of the network", distance(error, 4)),) if error is not None else ()
    rows = (
        ("subgames at the first cut", f"{found.subgames:,}"), ("lookaheads solved", f"{found.lookaheads:,}"), *extra,
        ("NashConv", distance(judged.nash_conv, 6)),
    )  # fmt: skip
    below = f"{leaves}{f' of {blueprint}' if blueprint else ''}"
    out.print(table_of(Grid(("", ""), rows, f"{tree.title}, cut {found.cut}, below it {below}")))
