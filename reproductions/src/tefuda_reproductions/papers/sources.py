"""Sources: citations, and their claims in our words, with the section in brackets."""

from __future__ import annotations

from tefuda_reproductions.claims import Source

TAKEUCHI = Source(
    "000",
    "takeuchi2020",
    "Takeuchi (竹内), CFR: implementing an AI that learns games of imperfect information: Kuhn poker "
    "(【CFR】不完全情報ゲームを学習するAIを実装してみる【KuhnPoker】), Morikatron Engineer Blog, 2020-08-31, "
    "https://tech.morikatron.ai/entry/2020/08/31/100000",
    {
        "c1": "CFR is a base of Pluribus; Monte Carlo CFR avoids the full traversal, Deep CFR adds networks (intro)",
        "c2": "against humans, AI is further ahead in perfect- than in imperfect-information games (intro)",
        "c3": "Kuhn poker's equilibria are known completely, so it is a yardstick (intro)",
        "c4": "every history lies in one infoset; all histories of an infoset have the same actions (symbols)",
        "c5": "eps = 0 is the Nash equilibrium; CFR finds an eps-equilibrium (Nash)",
        "c6": "table A is optimal for every alpha allowed (Kuhn)",
        "c7": "accumulated regrets are set to 0 when negative, and give table B (CFR iii)",
        "c8": "the average strategy tends to an equilibrium as T grows (CFR v)",
        "c9": "any initial strategy works; the program uses uniform play (implementation)",
        "c10": "after 1e6 iterations the average is close to table A for some alpha (results)",
        "c11": "1e6 iterations take about 2 minutes (results)",
        "c12": "plain CFR cannot do real hold'em: that takes hand-made abstraction and subgame solving (summary)",
    },
)

KAWAMURA = Source(
    "001",
    "kawamura2018",
    "Kawamura, Suzuki, Tsuruoka (河村圭悟, 鈴木潤, 鶴岡慶雅), Excluding the Data with Exploration from "
    "Supervised Learning Improves Neural Fictitious Self-Play, JSAI 2018, 1N3-01",
    {
        "c1": "leaving exploratory data out of supervised learning improves NFSP significantly on Leduc (abstract, 5)",
        "c2": "CFR+, DeepStack and Libratus need the rules of transition beforehand; NFSP does not (1)",
        "c3": "in heads-up limit hold'em NFSP is comparable to existing players, without abstraction (1)",
        "c4": "fictitious play converges in two-player zero-sum games (2.2)",
        "c5": "XFP holds probabilities for all infosets; FSP replaces its two parts by learning (2.2)",
        "c6": "a reservoir keeps a uniform sample of all data in finite memory (2.2)",
        "c7": "Q-learning is off-policy: averaging the exploring play pulls away from equilibrium (3)",
        "c8": "the original escapes because its epsilon vanishes (3)",
        "c9": "in self-play exploration must continue (3)",
        "c10": "no slowing is expected of leaving exploratory data out (3)",
        "c11": "with decaying epsilon A and B do not differ (4)",
        "c12": "with fixed epsilon 0.1 C is far worse, D significantly better than A (4)",
        "c13": "the loss of C grows with epsilon (4, fig. 1)",
        "c14": "with fixed epsilon D improves somewhat, most from 0.02 to 0.1 (4, fig. 1)",
        "c15": "too large an epsilon hurts D a little (4, fig. 1)",
        "c16": "exploitability is never negative, and 0 exactly at equilibrium (4)",
    },
)

YAMAOKA = Source(
    "002",
    "yamaoka2020",
    "Yamaoka (山岡忠夫), TadaoYamaokaの日記, 2020-09-21, https://tadaoyamaoka.hatenablog.com/entry/2020/09/21/133221; "
    "its program is the tutorial's KuhnTrainer.java",
    {
        "c1": "regret of one move follows at once in a one-shot game; else the tree is unfolded (intro)",
        "c2": "weighting by the others' reach makes regret small where a history is unlikely (value)",
        "c3": "the sum over an infoset's histories arises by visiting the same node over many deals (code)",
        "c4": "p0 and p1 hold action probabilities only; the opponent's payoff needs its sign turned (code)",
        "c5": "the average value -0.0549 is near the theory's -1/18 (result)",
        "c6": "at equilibrium the first player is at a disadvantage (result)",
        "c7": "no Japanese paper with a term for counterfactual regret was found (note)",
    },
)

TAKIZAWA = Source(
    "003",
    "takizawa2020",
    "Takizawa, Study notes on counterfactual regret minimization: towards Koi-Koi, October 5, 2020 (not peer-reviewed)",
    {
        "c1": "CFR's known bound on iterations is worse than other methods'; in practice it is fast (1)",
        "c2": "a mixed equilibrium always exists (2.17)",
        "c3": "if both average overall regrets are below eps, the averages are a 2 eps-equilibrium (2.18)",
        "c4": "R_i is at most the sum over infosets of the positive immediate regrets (2.23)",
        "c5": "immediate regrets can be minimised infoset by infoset (2.24)",
        "c6": "under regret matching the average converges to an equilibrium (2.26)",
        "c7": "alternating updates converge much faster than simultaneous ones, for CFR and CFR+ (4.5)",
        "c8": "the factor 1/T in cumulative regret does not matter in an implementation (2.25)",
        "c9": "memory for the tables is vanilla CFR's main problem (2.13, 2.25)",
        "c10": "one strategy table, overwritten, is enough; with perfect recall histories form a tree (3.2)",
        "c11": "CFR+'s current strategy converges almost or wholly by itself; CFR's does not (4.4)",
        "c12": "weights max(T - d, 0) make the average converge faster (4.4)",
        "c13": "RM+ regrets are zero more often, so compressed tables need less memory (4.4)",
        "c14": "CFR+ with d = 0 provably converges; that it is much faster has no theory (4.6)",
        "c15": "external sampling is best by and large; the order varies by game (6)",
        "c16": "robust sampling is outcome sampling at k = 1, external at k = infinity (6, 6.6)",
        "c17": "mini-batch MCCFR and MCCFR+ converge (6)",
        "c18": "sampled values are unbiased, mini-batch values too (6.3, 6.8)",
        "c19": "external sampling: q(z) = pi_-i(z), so the importance weight cancels (6.4)",
        "c20": "outcome sampling needs a positive minimum probability, as by mixing in eps of uniform play (6.5)",
        "c21": "batches can be drawn in parallel; tables per thread, summed later, are feasible (6.8, 7.1)",
        "c22": "RM+ without batches converges more slowly than RM; with a suitable batch faster (6.9)",
        "c23": "search started at the current infoset is biased: start at the root, favour samples through it (8)",
        "c24": "OOS was tested on three games, none with a huge first deal (8)",
        "c25": "two networks can replace the tables of regrets and averages (9)",
        "c26": "attention with LSTM, GRU or RNN is slightly better than fully connected (9)",
        "c27": "function approximation is in a sense automated abstraction (10.2)",
        "c28": "neural CFR is the most promising method for Koi-Koi; it may well fail (11)",
    },
)

FURUI = Source(
    "004",
    "furui2011",
    "Furui, Miwa, Chikayama (古居敬大, 三輪誠, 近山隆), Opponent Exploitation by Opponent Modeling for Probabilistic "
    "Imperfect Information Extensive Multi-player games, IPSJ symposium, 2011-11-04",
    {
        "c1": "with non-rational players about, equilibrium play need not be best in a game of more than two (1, 3.1)",
        "c2": "equilibrium play neither loses nor wins on average in rock-paper-scissors (3.1)",
        "c3": "exact equilibria of poker are out of reach; the finer the abstraction, the better (3.1.1)",
        "c4": "CFR converges for two players; for three there is no guarantee, yet it gives strong players (3.1.2)",
        "c5": "histograms are exact where play is frequent, slow elsewhere; prepared models faster, less exact (3.2)",
        "c6": "assumed: players farther from an equilibrium can be exploited more (4, 4.1)",
        "c7": "situations not seen are taken as uniform; rare ones are learned slowly (4.1.2)",
        "c8": "A never loses to E, F or G (5.2)",
        "c9": "in ADE A exploits much and earns about as much as D (5.2)",
        "c10": "A earns more than B against E (5.3)",
        "c11": "D earns more beside A than beside B, for E, F and G (5.3)",
        "c12": "C in A's place loses heavily, so A exploits better than chance play (5.4)",
        "c13": "B and D earn steadily; but in CDE D is below E (5.4)",
        "c14": "eps-Nash folds to raises; where the others raise much, they do as well as it or better (5.5)",
        "c15": "in CDE C's folds hand big pots to E without showdown (5.5)",
        "c16": "the naive player is identified almost surely within the first few games (5.6)",
        "c17": "with other data A is above D; means by seating vary much; A tends to be above D in ADE, EDA (5.5)",
        "c18": "if all opponents are eps-Nash, play eps-Nash; else choose between eps-Nash and exploiting (5.6)",
        "c19": "A could match eps-Nash as opponents react strongly; ignoring all but one wins with difficulty (5.6)",
        "c20": "A can earn more than the rational player when the naive one strongly influences that player (6)",
        "c21": "eps-Nash earns steadily and is hard to beat without targeting it (6)",
        "c22": "trees grow exponentially with players (6)",
    },
)

GANZFRIED = Source(
    "",
    "ganzfried2015",
    "Ganzfried, Sandholm, Safe opponent exploitation, ACM Trans. Economics and Computation 3(2), 2015, table I",
    {},
)

XU = Source(
    "",
    "xu2026",
    "Xu, Li, Fu, Fu, Xing, Cheng, Deep (predictive) discounted counterfactual regret minimization, AAAI 2026; the "
    "curve of Deep CFR: Steinberger, Single deep counterfactual regret minimization, 2019",
    {},
)

SOURCES = {one.key: one for one in (TAKEUCHI, KAWAMURA, YAMAOKA, TAKIZAWA, FURUI, GANZFRIED, XU)}
