"""Your own weak opponent at Leduc hold'em: its losses, and two agents that exploit it.

It raises with each king, and otherwise plays uniformly at random.
"""

import tefuda as td


def whim(player, key, actions):
    """Return probabilities of the actions: raise with a king if possible, else uniform."""
    if key.startswith("K") and "r" in actions:
        return {"r": 1.0}
    return [1 / len(actions)] * len(actions)


tree = td.compile_game(td.load_game("leduc"))
weak = td.Profile.from_function(tree, whim)

# Winnings against the opponent, and the risk if it plays otherwise.
print(f"NashConv in self-play: {td.nash_conv(weak):.3f} chips a hand")
best = [td.best_response(weak, seat).value for seat in (0, 1)]
print(f"a best response wins {best[0]:.3f} in seat 0 and {best[1]:.3f} in seat 1")
for p in (0.5, 0.9):
    response = td.restricted_nash(weak, 0, p)
    print(f"restricted Nash, p = {p}: wins {response.exploitation:.3f}, at worst {response.worst_case:.3f}")

# Agents without knowledge of it: one that learns, and one that risks only its gifts.
equilibrium = td.solve(tree, "dcfr", until=1e-3).strategy
opponent = td.ProfileAgent("whim", weak)
for learner in (td.AdaptiveExploiter("learner", equilibrium), td.exploiting.SafeExploiter("careful", equilibrium)):
    match = td.duplicate_match(tree, [learner, opponent], deals=50, replicates=2, seed=1)
    low, high = match.interval()[0]
    print(f"{learner.name} wins {match.mean[0]:.2f} a hand over 50 hands ({low:.2f} to {high:.2f})")
