"""Jobs of `tefuda solve`: undeclared options are of the game, the form or the method."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from time import monotonic
from typing import Any

from typer import Context

from tefuda.apps.cli.buckets import bucket_fields, count_preparation, evaluator_of, show_bucket_size
from tefuda.apps.cli.shared import reading
from tefuda.apps.cli.shared.common import flag, given_options, refuse_options
from tefuda.apps.cli.shared.runs import goal_of, new_record, start_run, user_method
from tefuda.apps.cli.spots import show_size, spot_of
from tefuda.errors import ParameterError, UnknownNameError, check_choice
from tefuda.words import escaped

#: The default method of a form that --as names.
_METHODS = {"simulator": "nfsp", "rules": "external"}
_FORMS = ("tree", *_METHODS)  # of any game


def read_rules(context: Context) -> tuple[Any, reading.Undeclared]:
    """Return the game of the command, and the undeclared options."""
    name = context.params["game"]
    if not name:
        raise ParameterError("which game? Write tefuda solve GAME (tefuda games lists them), or --resume RUN.")
    if name == "spot":
        from tefuda.holdem.spots.game import SpotGame

        spot, given = spot_of(context)
        return SpotGame(spot), given
    given = reading.split_options(context, name)
    return reading.read_game(name, given.own, context), given


def read_job(context: Context) -> Any:
    """Return the job of the command; nothing is built."""
    from tefuda.forms.form import form_class
    from tefuda.games.kit import kit_of
    from tefuda.lazy import load_reference
    from tefuda.solvers.runs.job import Job
    from tefuda.solvers.runs.methods import find_method

    params = context.params
    representation, memory = _form_of(context), "memory" in given_options(context)
    game, given = read_rules(context)
    (first, *others), evaluator = kit_of(game).forms(), None
    kind = form_class(representation or first)
    if (
        kind.representation in ("referee", "buckets")
        and others
        and params["method"] not in ("", *load_reference(kind.methods))
    ):
        kind = form_class(others[0])  # networks and sampling learn from the rules
    fields = {"memory": params["memory"]} if memory else {}
    if kind.representation == "buckets":
        fields |= bucket_fields(given.others)
        evaluator = evaluator_of(given.others)
    named = params["method"] or _METHODS.get(representation, "")
    default = find_method(named or kind.default_method(game), table=load_reference(kind.methods))
    method = reading.with_own_options(default, given, context)
    if kind.representation == "hands":
        fields["precision"] = method.precision
    else:
        refuse_options(context, "is an option of spots; leave it out.", ("line", "tree"))
    if representation == "simulator" and params["force"]:  # the tree is compiled whatever its size
        from tefuda.forms.simulate import TreeSimulator

        game = TreeSimulator(reading.build_tree(game, force=True))
    return Job.of(
        game, method if named or method != default else None, representation=representation, fields=fields,
        goal=goal_of(context), seed=params["seed"], evaluator=evaluator, workers=params["workers"],
    )  # fmt: skip


def _form_of(context: Context) -> str:
    """Return the representation that --as or --abstract needs, or ""."""
    from tefuda.abstracting.named import check_named

    named = context.params["form"]
    check_choice("--as", named, ("", *_FORMS))
    if "abstract" not in given_options(context):
        return str(named)
    check_named(context.params["abstract"])
    if named not in ("", "tree"):
        raise ParameterError(f"--abstract merges infosets of a tree, and --as {named} has none; give one of them.")
    return "tree"


def run_job(context: Context, job: Any) -> Any:
    """Build the form of a job and solve it by the options of the command; return the solution."""
    from tefuda.apps.display.progress import building
    from tefuda.solvers.runs.job import Job

    params = context.params
    name = job.game.spot.name if job.representation == "hands" else job.game.name
    record, begun = new_record(context, f"{name}-{job.method.name}"), job.method.name  # raises before the work
    if job.representation == "hands":
        show_size(job)
    if job.representation == "buckets":
        show_bucket_size(job)
    begin = monotonic()
    with building(name) as progress:
        built, job = job.form(building=progress, force=params["force"], workers=params["workers"])
    if job.representation == "buckets":
        job = count_preparation(job, monotonic() - begin)
    if params["line"]:
        built.find(params["line"])  # an invalid line raises before solving
    if params["abstract"]:
        job = Job.of(_partition(built, params["abstract"]), job.method, goal=job.goal, seed=job.seed)
    if not (params["method"] or params["form"] in _METHODS):
        print(f"method: {job.method.name}, the recommended one (--method chooses another)", file=sys.stderr)
    if "memory" in given_options(context) and job.representation in ("tree", "partition", "simulator"):
        raise ParameterError(
            f"--memory limits the tables without a tree, and {name} is solved as {job.representation}; leave it out, "
            "or give --as rules.",
            key="memory",
        )
    if params["evaluator"]:
        from tefuda.exploiting.named import evaluator_named  # imports all agents

        job = replace(job, evaluator=evaluator_named(params["evaluator"], job.built))
    if job.method.name != begun:
        record = new_record(context, f"{name}-{job.method.name}")
    return start_run(context, job, record, f"{name} {job.method.name}")


def _partition(tree: Any, named: str) -> Any:
    """Return the partition of this name; print its guarantee."""
    from tefuda.abstracting.named import partition_named

    partition = partition_named(tree, named)
    lossless = "every equilibrium of the small game is an equilibrium of the real game"
    promise = lossless if named == "lossless" else partition.guarantee
    print(escaped(f"{partition!r}: {promise}"), file=sys.stderr)
    return partition


def rules_to_resume(context: Context, run: Path) -> Any:
    """Return the rules of a run if they are given; raise if options differ from its first command."""
    from tefuda.forms.rules import RulesForm
    from tefuda.solvers.runs.job import Job
    from tefuda.solvers.runs.run import read_run

    game, content = reading.positional_game(context, context.params["game"]), read_run(run)
    left = _refuse_changes(context, run, content)
    if not game:
        reading.check_same_game(run, content, left, context)
    rules = reading.read_game(game, left, context) if game else None
    if "memory" not in given_options(context):
        return rules
    return RulesForm(Job.read(run).game if rules is None else rules, context.params["memory"])


def _refuse_changes(context: Context, run: Path, content: dict[str, Any]) -> dict[str, Any]:
    """Raise if options differ from those with which a run was started; return the options of its game."""
    params, given = context.params, given_options(context)
    refuse_options(context, f"cannot change the abstraction of {run}; leave it out.", ("abstract",))
    representation = content["form"]["representation"]
    for name, wanted in (("form", params["form"]), ("memory", "rules"), ("line", "hands")):
        if name in given and representation != wanted:
            raise ParameterError(f"{run} was started as {representation}; leave {given[name]} out.", key=name)
    saved, left = content["method_parameters"], reading.read_options(context.args)
    fields = {key: left.pop(key) for key in list(left) if key in saved and key != "name"}
    fields |= {name: reading.read_value(text) for name, text in reading.assignments(params["change"])}
    for name in fields:
        if name not in saved:
            raise UnknownNameError(f"option of method {saved['name']}", name, saved)
    own = {"method": user_method(params) or saved["name"], "seed": content["seed"], "out": run}
    pairs = {flag(name): (value, saved[name]) for name, value in fields.items()}
    pairs |= {option: (params[name], own[name]) for name, option in given.items() if name in own}
    for option, (value, first) in pairs.items():
        if value != first:
            raise ParameterError(f"{run} was started with {option} {first}, got {value}; leave it out.", key=option)
    if left and representation in ("hands", "buckets"):
        raise ParameterError(f"{flag(next(iter(left)))} has no effect with --resume; leave it out.")
    return left
