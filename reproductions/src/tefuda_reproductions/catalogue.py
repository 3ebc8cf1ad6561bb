"""Catalogue of the reproduced experiments, by name."""

from __future__ import annotations

import os

from tefuda_reproductions.experiment import SEED, WORKERS, Experiment, Option
from tefuda_reproductions.papers import (
    cfr_table,
    cfr_theory,
    deep_cfr,
    double_neural,
    koikoi_questions,
    kuhn_cfr,
    kuhn_chance,
    limit_nfsp,
    limit_three,
    mccfr_sampling,
    nfsp_exploration,
    rps_matching,
    safe_exploitation,
    small_deck,
    three_players,
)


def _folder(name: str, about: str) -> Option:
    return Option(f"runs/{name}", about, quick=f"runs/quick/{name}")


PAPERS: dict[str, Experiment] = {
    "kuhn-cfr": Experiment(kuhn_cfr.run, "Kuhn poker by CFR: the table of takeuchi2020", "about 5 s"),
    "kuhn-chance": Experiment(
        kuhn_chance.run, "Kuhn poker by chance-sampled CFR: the table of yamaoka2020", "about 30 s"
    ),
    "cfr-theory": Experiment(cfr_theory.run, "CFR without sampling: sections 1 to 4 of takizawa2020", "about 10 s"),
    "cfr-table": Experiment(
        cfr_table.run,
        "CFR methods on the twelve games of Xu et al. 2024, and curves on the endgames of Libratus",
        "about an hour of one core, --quick 10 minutes; curves in the folder are reused",
        games=Option("all", "games by their names in papers, with commas: KuhnPoker,subgame3"),
        methods=Option(",".join(cfr_table.METHODS), "methods of the CFR family, with commas"),
        iterations=Option(20_000, "iterations of each method", 1, 1_000_000, quick=1000),
        workers=WORKERS,
        folder=_folder("cfr-table", "folder of the curves"),
    ),
    "deep-cfr": Experiment(
        deep_cfr.run,
        "regrets in networks on Leduc: curves of Steinberger 2019 and Xu et al. 2026 (needs PyTorch)",
        "about 5 minutes of one core, 500 iterations an hour and a half; runs in the folder are resumed",
        iterations=Option(30, "iterations of each method; 500 are the published 1e7 episodes", 1, 100_000, quick=6),
        settings=Option("summed", "data of a fit: all rows, or published minibatches", choices=deep_cfr.SETTINGS),
        seed=SEED._replace(default=0),
        folder=_folder("deep-cfr", "folder of the runs"),
    ),
    "mccfr-sampling": Experiment(
        mccfr_sampling.run, "sampling and online search: sections 5 to 11 of takizawa2020", "about 1 minute"
    ),
    "double-neural": Experiment(
        double_neural.run,
        "networks in place of tables: sections 6 and 9 to 11 of takizawa2020; needs PyTorch",
        "about 8 minutes of one core; runs in the folder are reused",
        iterations=Option(
            100, "iterations of the longest runs; evaluated from 100, published 1,000", 10, 10_000, quick=10
        ),
        seeds=Option(5, "seeds of each kind of network", 2, 1000, quick=2),
        folder=_folder("double-neural", "folder of the runs"),
    ),
    "koikoi-questions": Experiment(
        koikoi_questions.run,
        "Koi-Koi: online search and huge deals, a ladder of families: the open questions of takizawa2020",
        "about 2 minutes of one core, with the options of docs/claims.md about 10",
        deals=Option(1000, "deals of each contest in the reduced games and on the ladder", 20, quick=100),
        whole=Option(30, "deals of each online search in the whole game", 2, quick=4),
        budget=Option(100, "largest number of iterations a decision", 2, 100_000, quick=20),
        walks=Option(10_000, "iterations of MCCFR with abstraction", 1, quick=1000),
        rounds=Option(200_000, "training rounds of the value tables", 1, quick=20_000),
        games=Option(0, "games of neural self-play; 0: none", 0),
        seed=SEED,
    ),
    "limit-nfsp": Experiment(
        limit_nfsp.run,
        "neural self-play at heads-up limit hold'em: the expectation of kawamura2018",
        "about 2 minutes of one core, 10 million games 40 more; runs in the folder are resumed",
        games=Option(20_000, "games of self-play; evaluated from 10,000,000", 1000, quick=5000),
        deals=Option(200, "deals of each match, in both seatings", 2, quick=50),
        hands=Option(100, "hands of a local best response, in both seats", 2, quick=30),
        walks=Option(500_000, "iterations of the sampled opponent", quick=100_000),
        seed=SEED,
        folder=_folder("limit-nfsp", "folder of the runs"),
    ),
    "limit-three": Experiment(
        limit_three.run,
        "exploiting opponents at a limit hold'em table of three: the next step of furui2011",
        "about a minute of one core, 5,000 deals about an hour; results in the folder are reused",
        deals=Option(40, "deals of each seating and replicate; evaluated from 5,000", quick=4),
        replicates=Option(4, "replicates of matches", 2, 1000, quick=2),
        iterations=Option(500_000, "iterations of sampling for D's strategy", quick=100_000),
        seed=SEED,
        workers=WORKERS,
        folder=_folder("limit-three", "folder of the strategy and the matches"),
    ),
    "nfsp-exploration": Experiment(
        nfsp_exploration.run,
        "NFSP and exploration: table 1 and figure 1 of kawamura2018",
        "about an hour of one core; runs in the folder are reused",
        games=Option(10_000_000, "games of each run", 1000, quick=100_000),
        seeds=Option(5, "seeds of table 1; figure 1 has one", 1, 1000, quick=2),
        workers=WORKERS._replace(default=os.cpu_count() or 1),
        folder=_folder("nfsp-exploration", "folder of the runs"),
    ),
    "rps-matching": Experiment(
        rps_matching.run, "rock, paper, scissors by regret matching: the article before yamaoka2020", "about 1 s"
    ),
    "safe-exploitation": Experiment(
        safe_exploitation.run,
        "safe exploitation in Kuhn poker: table I of Ganzfried and Sandholm 2015",
        "about 40 minutes of one core; matches in the folder are reused",
        opponents=Option(100, "opponents of each class; evaluated from 100", 2, quick=4),
        hands=Option(1000, "hands of a match", quick=300),
        seed=SEED,
        workers=WORKERS,
        folder=_folder("safe-exploitation", "folder of the matches"),
    ),
    "small-deck": Experiment(
        small_deck.run,
        "re-solved turns on small decks of hold'em: exact figures of blueprints and gadgets",
        "about 20 minutes of one core; figures in the folder are reused",
        iterations=Option(1000, "iterations of each blueprint", quick=50),
        resolving=Option(300, "iterations of each turn and of the floors", 2, quick=10),
        draws=Option(20_000, "iterations of each sampled blueprint", quick=500),
        seeds=Option(5, "seeds of sampled blueprints for each deck", 1, 1000, quick=1),
        folder=_folder("small-deck", "folder of the figures"),
    ),
    "three-player-exploitation": Experiment(
        three_players.run,
        "exploiting one of two opponents: tables 1 to 5 of furui2011",
        "about 5 minutes of one core",
        deals=Option(5000, "deals of each of six seatings", quick=300),
        replicates=Option(4, "replicates of matches with learning agents", 2, quick=2),
        seed=SEED,
        iterations=Option(4000, "iterations of DCFR for the equilibrium"),
        workers=WORKERS,
        equation=Option("prose", "reading of equation (4)", choices=three_players.EQUATIONS),
        table=Option("dcfr", "solver of D's table", choices=three_players.EQUILIBRIA),
    ),
}
