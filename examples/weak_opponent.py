"""An opponent of one's own making at Leduc hold'em: how much he gives away, and two who take it.

He raises with every king, and else does what a coin says.
"""

import tefuda as td


def whim(player, key, actions):
    """Probabilities of the actions: all on raising with a king, if one may."""
    if key.startswith("K") and "r" in actions:
        return {"r": 1.0}
    return [1 / len(actions)] * len(actions)


tree = td.compile_game(td.load_game("leduc"))
weak = td.Profile.from_function(tree, whim)

# What is there to win, and what does it cost if he is not who he seems?
print(f"NashConv, he against himself: {td.nash_conv(weak):.3f} chips a hand")
best = [td.best_response(weak, seat).value for seat in (0, 1)]
print(f"a best response wins {best[0]:.3f} in seat 0 and {best[1]:.3f} in seat 1")
for p in (0.5, 0.9):
    answer = td.restricted_nash(weak, 0, p)
    print(f"restricted Nash, p = {p}: wins {answer.exploitation:.3f}, at worst {answer.worst_case:.3f}")

# Players who do not know him: one who learns, one who risks only what he has given away.
equilibrium = td.solve(tree, "dcfr", until=1e-3).strategy
he = td.ProfileAgent("whim", weak)
for learner in (td.AdaptiveExploiter("learner", equilibrium), td.SafeExploiter("careful", equilibrium)):
    match = td.duplicate_match(tree, [learner, he], deals=50, replicates=2, seed=1)
    low, high = match.interval()[0]
    print(f"{learner.name} wins {match.mean[0]:.2f} a hand over 50 hands ({low:.2f} to {high:.2f})")
