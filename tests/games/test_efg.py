"""Gambit's files: lossless round trips, a file written by hand, and damaged files."""

import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tefuda as td
from tefuda.games.protocol import labels
from tests.conftest import rules

# Myerson's card game: a card is drawn, Alice raises or folds; Bob meets or passes without seeing the card.
BY_HAND = """EFG 2 R "a \\"one-card\\" game" { "Alice" "Bob" }
"a comment"

c "" 1 "deck" { "Red" 1/2 "Black" 0.5 } 0
p "" 1 1 "red" { "Raise" "Fold" } 0
p "" 2 1 "Bob" { "Meet" "Pass" } 0
t "" 1 "Alice wins big" { 2, -2 }
t "" 2 "Alice wins" { 1, -1 }
t "" 2 "Alice wins"
p "" 1 2 "black" { "Raise" "Fold" } 0
p "" 2 1 "Bob" { "Meet" "Pass" } 0
t "" 3 "Bob wins big" { -2 2 }
t "" 2 "Alice wins"
t "" 4 "Bob wins" { -1, 1 }
"""


def written(tmp_path, text):
    path = tmp_path / "game.efg"
    path.write_text(text)
    return path


def test_a_file_by_hand(tmp_path):
    """Myerson's card game: Alice always raises on red, 1/3 on black; Bob meets 2/3; the value is 1/3."""
    game = td.games.read_efg(written(tmp_path, BY_HAND))
    assert (game.title, game.players) == ('a "one-card" game', 2) and td.check_game(game).ok
    solution = td.exact_solution(game)
    assert solution.certified and solution.values[0] == Fraction(1, 3)
    assert solution.strategies["0: black"]["Raise"] == Fraction(1, 3)
    assert solution.strategies["1: Bob"]["Meet"] == Fraction(2, 3)


def walk(game):
    """Return mover, labels, exact numbers and infoset number of every history, in depth-first order."""
    stack, numbers = [game.root()], {}
    while stack:
        state = stack.pop()
        mover = game.player(state)
        if mover == td.TERMINAL:
            yield mover, tuple(Fraction(amount) for amount in game.payoffs(state))
        elif mover == td.CHANCE:
            yield mover, tuple((str(label), Fraction(chance)) for label, chance in game.chances(state))
        else:
            infoset = numbers.setdefault((mover, game.view(state, mover)), len(numbers))
            yield mover, infoset, tuple(map(str, game.actions(state)))
        stack += [game.child(state, label) for label in reversed(labels(game, state))]


@pytest.mark.parametrize(
    "name, parameters",
    [
        ("rps", {}),
        ("kuhn", {}),
        ("kuhn", {"players": 3}),
        ("leduc", {}),
        ("liars_dice", {"sides": 3}),
        ("goofspiel", {"players": 3, "cards": 3}),
    ],
)
def test_round_trip_without_loss(tmp_path, name, parameters):
    game = rules(name, **parameters)
    td.games.write_efg(game, tmp_path / "game.efg")
    again = td.games.read_efg(tmp_path / "game.efg")
    assert list(walk(again)) == list(walk(game)) and again.title == game.name
    td.games.write_efg(again, tmp_path / "again.efg")
    assert list(walk(td.games.read_efg(tmp_path / "again.efg"))) == list(walk(game))
    ours, theirs = td.compile_game(game), td.compile_game(again)
    profile = td.Profile.random(ours, np.random.default_rng(0))
    twin = td.Profile(theirs, profile.probabilities)
    assert td.nash_conv(twin) == pytest.approx(td.nash_conv(profile), abs=1e-12)


def test_payoffs_of_inner_nodes_are_added(tmp_path):
    text = 'EFG 2 R "g" { "A" "B" }\np "" 1 1 "" { "l" "r" } 1 "bonus" { 1, 0 }\nt "" 0\nt "" 2 "" { 1, 1.5 }\n'
    game = td.games.read_efg(written(tmp_path, text))
    assert game.payoffs(game.child(game.root(), "l")) == (1, 0)
    assert game.payoffs(game.child(game.root(), "r")) == (2, Fraction(3, 2))


ZERO_CHANCE = """EFG 2 R "an impossible branch" { "A" "B" }
c "" 1 "" { "never" 0 "always" 1 } 0
p "" 1 1 "" { "l" "r" } 0
t "" 1 "" { 7, -7 }
t "" 2 "" { 9, -9 }
p "" 1 2 "" { "l" "r" } 0
p "" 2 1 "" { "u" "d" } 0
t "" 3 "" { 2, -2 }
t "" 4 "" { 0, 0 }
p "" 2 1 "" { "u" "d" } 0
t "" 5 "" { -1, 1 }
t "" 6 "" { 1, -1 }
"""


def test_chance_of_probability_zero(tmp_path):
    """The branch stays in the tree and in a written file, with reach 0; its payoffs count nowhere."""
    game = td.games.read_efg(written(tmp_path, ZERO_CHANCE))
    report = td.check_game(game)
    assert report.ok and [fault.kind for fault in report.warnings] == ["impossible outcome"]
    assert report.warnings[0].histories == (("never",),)
    solution = td.exact_solution(game)
    assert solution.certified and solution.values == (Fraction(1, 2), Fraction(-1, 2))
    assert solution.strategies["1: 1"]["u"] == Fraction(1, 4)
    tree = td.compile_game(game)
    assert tree.infosets == 3 and td.nash_conv(td.solve(tree, "lp").strategy) == pytest.approx(0, abs=1e-12)
    assert td.solve(tree, "external", iterations=200, seed=1).values[0] < 2
    td.games.write_efg(game, tmp_path / "again.efg")
    assert list(walk(td.games.read_efg(tmp_path / "again.efg"))) == list(walk(game))


# Corner cases of Gambit's collection by their structure: the value to player 0, and probabilities in the solution.
CORNERS = {
    "an outcome of 0 at an inner node": (
        'EFG 2 R "g" { "A" "B" } p "" 1 1 "" { "a" "b" } 1 "" { 0, 0 } p "" 2 1 "" { "c" "d" } 0 '
        't "" 2 "" { 1, -1 } t "" 3 "" { -1, 1 } p "" 2 1 "" { "c" "d" } 0 t "" 3 t "" 2',
        0, {("0: 1", "a"): Fraction(1, 2), ("1: 1", "c"): Fraction(1, 2)},
    ),
    "payoffs before and after chance": (
        'EFG 2 R "g" { "A" "B" } p "" 1 1 "" { "a" "b" } 0 c "" 1 "" { "x" 1/4 "y" 3/4 } 1 "" { 4, -4 } '
        't "" 2 "" { -4, 4 } t "" 3 "" { 0, 0 } t "" 4 "" { 2, -2 }',
        3, {("0: 1", "a"): 1},
    ),
    "a payoff ratio of 1e19": (
        'EFG 2 R "g" { "A" "B" } p "" 1 1 "" { "a" "b" } 0 p "" 2 1 "" { "c" "d" } 0 t "" 1 "" { 1e-19, -1e-19 } '
        't "" 2 "" { 0, 0 } p "" 2 1 "" { "c" "d" } 0 t "" 2 t "" 3 "" { 1, -1 }',
        Fraction(1, 10**19 + 1), {("1: 1", "c"): Fraction(10**19, 10**19 + 1)},
    ),
    "payoffs of 1e19 beside 1": (
        'EFG 2 R "g" { "A" "B" } c "" 1 "" { "L" 1/2 "R" 1/2 } 0 p "" 1 1 "" { "A" "B" } 0 p "" 2 1 "" { "X" "Y" } 0 '
        't "" 1 "" { 1e19, -1e19 } t "" 2 "" { 1, -1 } p "" 2 2 "" { "X" "Y" } 0 t "" 3 "" { -1, 1 } '
        't "" 4 "" { 0, 0 } p "" 1 2 "" { "A" "B" } 0 p "" 2 1 "" { "X" "Y" } 0 t "" 3 t "" 2 '
        'p "" 2 2 "" { "X" "Y" } 0 t "" 4 t "" 1',
        1, {("0: 1", "A"): 1, ("0: 2", "A"): 1, ("1: 1", "X"): 0},
    ),
    "guess the ace": (
        'EFG 2 R "g" { "A" "B" } c "" 1 "" { "ace" 1/52 "other" 51/52 } 0 p "" 1 1 "" { "stop" "play" } 0 '
        't "" 1 "" { 0, 0 } p "" 2 1 "" { "ace" "other" } 0 t "" 2 "" { -1000, 1000 } t "" 1 '
        'p "" 1 1 "" { "stop" "play" } 0 t "" 1 p "" 2 1 "" { "ace" "other" } 0 t "" 1 t "" 2',
        0, {("0: 1", "stop"): 1, ("1: 1", "other"): 1},
    ),
    "payoffs at inner nodes add up": (
        'EFG 2 R "g" { "A" "B" } p "" 1 1 "" { "A" "B" } 0 c "" 1 "" { "H" 1/5 "L" 4/5 } 0 '
        'p "" 2 1 "" { "X" "Y" } 8 "" { -1, 1 } p "" 1 2 "" { "C" "D" } 0 t "" 1 "" { 1, -1 } t "" 2 "" { -1, 1 } '
        'p "" 1 3 "" { "C" "D" } 0 t "" 4 "" { 1/2, -1/2 } t "" 5 "" { -1/2, 1/2 } p "" 2 2 "" { "X" "Y" } 0 '
        'p "" 1 2 "" { "C" "D" } 0 t "" 4 t "" 5 p "" 1 3 "" { "C" "D" } 0 t "" 1 t "" 2 '
        'c "" 2 "" { "H" 7/10 "L" 3/10 } 0 p "" 2 1 "" { "X" "Y" } 0 p "" 1 4 "" { "C" "D" } 0 t "" 4 t "" 5 '
        'p "" 1 5 "" { "C" "D" } 0 t "" 1 t "" 2 p "" 2 2 "" { "X" "Y" } 0 p "" 1 4 "" { "C" "D" } 0 t "" 1 t "" 2 '
        'p "" 1 5 "" { "C" "D" } 0 t "" 4 t "" 5',
        Fraction(32, 55), {("0: 1", "A"): Fraction(3, 11), ("1: 2", "X"): Fraction(6, 11)},
    ),
    "an example of Koller, Megiddo and von Stengel (1994)": (
        'EFG 2 R "g" { "A" "B" } c "" 1 "" { "1" 0.2 "2" 0.2 "3" 0.2 "4" 0.4 } 0 p "" 1 1 "" { "l" "r" } 0 '
        't "" 1 "" { 5, -5 } p "" 2 1 "" { "p" "q" } 0 p "" 1 3 "" { "L" "R" } 0 t "" 2 "" { 10, -10 } '
        't "" 3 "" { 15, -15 } p "" 1 3 "" { "L" "R" } 0 t "" 4 "" { 20, -20 } t "" 5 "" { -5, 5 } '
        'p "" 1 2 "" { "c" "d" } 0 t "" 2 t "" 4 p "" 1 2 "" { "c" "d" } 0 p "" 2 2 "" { "s" "t" } 0 t "" 4 '
        't "" 6 "" { 50, -50 } p "" 2 2 "" { "s" "t" } 0 t "" 7 "" { 30, -30 } t "" 3 t "" 1',
        13, {("0: 1", "l"): 0, ("0: 3", "L"): Fraction(2, 3), ("0: 2", "c"): Fraction(1, 3)},
    ),
    "two unseen bets after a raise (an issue of Gambit's, 210)": (
        'EFG 2 R "g" { "A" "B" } c "" 1 "" { "red" 1/2 "black" 1/2 } 0 p "" 1 1 "" { "raise" "fold" } 0 '
        'p "" 2 1 "" { "meet" "pass" } 0 c "" 2 "" { "1" 1/2 "2" 1/2 } 0 p "" 1 2 "" { "1" "2" } 0 '
        'p "" 2 2 "" { "1" "2" } 0 t "" 1 "" { 3, -3 } t "" 2 "" { 2, -2 } t "" 3 "" { -2, 2 } '
        'p "" 1 3 "" { "1" "2" } 0 p "" 2 3 "" { "1" "2" } 0 t "" 4 "" { -3, 3 } t "" 2 t "" 3 '
        't "" 5 "" { 1, -1 } t "" 6 "" { -1, 1 } '
        'p "" 1 4 "" { "raise" "fold" } 0 p "" 2 1 "" { "meet" "pass" } 0 c "" 3 "" { "1" 1/2 "2" 1/2 } 0 '
        'p "" 1 5 "" { "1" "2" } 0 p "" 2 2 "" { "1" "2" } 0 t "" 4 t "" 2 t "" 3 p "" 1 6 "" { "1" "2" } 0 '
        'p "" 2 3 "" { "1" "2" } 0 t "" 1 t "" 2 t "" 3 t "" 5 t "" 6',
        Fraction(2, 5), {("0: 1", "raise"): 1, ("1: 2", "1"): Fraction(4, 5)},
    ),
}  # fmt: skip


@pytest.mark.parametrize("what", CORNERS)
def test_corner_cases(tmp_path, what):
    text, value, known = CORNERS[what]
    solution = td.exact_solution(td.games.read_efg(written(tmp_path, text)))
    assert solution.certified and solution.values[0] == value
    assert {key: solution.strategies[key[0]][key[1]] for key in known} == known


def test_infosets_are_numbered_for_each_player(tmp_path):
    """Both players have an infoset 1: perfect information stays."""
    text = (
        'EFG 2 R "g" { "A" "B" } p "" 1 1 "" { "a" "b" } 0 p "" 2 1 "" { "c" "d" } 0 t "" 1 "" { 1, -1 } '
        't "" 2 "" { 0, 0 } p "" 2 2 "" { "c" "d" } 0 t "" 2 t "" 1'
    )
    game = td.games.read_efg(written(tmp_path, text))
    assert [fault.kind for fault in td.check_game(game).warnings] == ["perfect information"]
    assert td.exact_solution(game).values[0] == 0


def test_imperfect_recall_is_named_with_two_histories(tmp_path):
    """Player 0 forgets its first action (Wichardt 2008 has such a game without an equilibrium)."""
    text = (
        'EFG 2 R "g" { "A" "B" } p "" 1 1 "" { "a" "b" } 0 p "" 1 2 "" { "c" "d" } 0 t "" 1 "" { 1, -1 } '
        't "" 2 "" { 0, 0 } p "" 1 2 "" { "c" "d" } 0 t "" 2 t "" 1'
    )
    game = td.games.read_efg(written(tmp_path, text))
    report = td.check_game(game)
    assert [len(fault.histories) for fault in report.faults] == [2] and not report.ok
    with pytest.raises(td.errors.GameError):
        td.exact_solution(game)


BROKEN = {
    "another kind of file": ("EFG 1 R", "does not start with EFG 2"),
    "a table": ('NFG 1 R "t" { "Ann" "Ben" } { 2 2 } 1 -1 0 0 0 0 2 -2', "does not start with EFG 2"),
    "empty": ("", "does not start with EFG 2"),
    "a letter": (BY_HAND.replace("t ", "x ", 1), "line 7, column \\d+: a node starts with c, p or t, not 'x'"),
    "a player too many": (BY_HAND.replace('p "" 2 1', 'p "" 3 1', 1), "line 6, column \\d+: player 3 of 2"),
    "no number": (BY_HAND.replace("{ 2, -2 }", "{ two, -2 }"), "line 7, column \\d+: 'two' is not a number"),
    "a payoff too few": (BY_HAND.replace("{ 2, -2 }", "{ 2 }"), "line .*1 payoffs for 2 players"),
    "cut off": (BY_HAND[:-40], "line "),
    "more": (BY_HAND + 't "" 0\n', "after the complete tree"),
    "an unknown outcome": (BY_HAND.replace('t "" 1 "Alice wins big" { 2, -2 }', 't "" 9'), "payoffs of outcome 9"),
    "a number of a billion digits": (
        BY_HAND.replace("{ 2, -2 }", "{ 1e999999999, -2 }"),
        "line 7, column \\d+: '1e999999999' is not",
    ),
    "a number beyond floats": (BY_HAND.replace("{ 2, -2 }", "{ 1e999, -2 }"), "line 7, column \\d+: '1e999' is not"),
    "a division by zero": (BY_HAND.replace("1/2", "1/0"), "line 4, column \\d+: '1/0' is not a number"),
    "no number of digits": (BY_HAND.replace("{ 2, -2 }", "{ " + "9" * 5000 + ", -2 }"), "line 7, column \\d+: '9999"),
    "half a player": (BY_HAND.replace('p "" 2 1', 'p "" 3/2 1', 1), "line 6, column \\d+: the player is 3/2"),
    "chance as a player": (BY_HAND.replace('p "" 2 1', 'p "" 0 1', 1), "line 6, column \\d+: player 0 of 2"),
    "a text without an end": (BY_HAND + '"' + '\\"' * 200_000, "line 15, column \\d+: a string has no closing quote"),
    "only the beginning": ("EFG 2", "line 1, column \\d+: expected a string"),
    "unknown actions": (BY_HAND.replace('"red" { "Raise" "Fold" }', '"red"'), "actions of infoset 1 are missing"),
}


@pytest.mark.parametrize("what", BROKEN)
def test_broken_files_are_refused_with_the_line(tmp_path, what):
    text, words = BROKEN[what]
    with pytest.raises(td.errors.GameError, match=words):
        td.games.read_efg(written(tmp_path, text))


def test_growing_fractions_are_refused(tmp_path):
    """Denominators without common factors would grow to megabytes along a chain of moves."""
    moves = "".join(f'p "" 1 {n} "" {{ "a" }} {n} "" {{ 1/{2 * n + 1}, 0 }}\n' for n in range(1, 4000))
    with pytest.raises(td.errors.GameError, match="denominator"):
        td.games.read_efg(written(tmp_path, 'EFG 2 R "g" { "A" "B" }\n' + moves + 't "" 0\n'))


def test_wide_and_named_games_are_read_in_linear_time(tmp_path):
    """A scan of all names at every node and all labels at every move would take quadratic time."""
    wide = " ".join(f'"{n}"' for n in range(4_000))
    leaves = "".join(f'p "" 2 {n} "n{n}" {{ "a" }} 0\nt "" 0\n' for n in range(1, 4_001))
    game = td.games.read_efg(written(tmp_path, f'EFG 2 R "g" {{ "A" "B" }}\np "" 1 1 "" {{ {wide} }} 0\n{leaves}'))
    assert game.view(game.child(game.root(), "3999"), 1) == "n4000"
    assert sum(game.child(0, label) for label in game.actions(0)) == sum(range(1, 8_000, 2))


def test_missing_file(tmp_path):
    with pytest.raises(td.TefudaError, match=r"nowhere\.efg"):
        td.load_game("efg", path=str(tmp_path / "nowhere.efg"))


class Uneven(type(rules("kuhn"))):
    """Kuhn poker with probabilities that are no simple fractions."""

    def chances(self, state):
        return tuple((deal, 1 / 6 + (-1) ** n * 1e-7) for n, (deal, _) in enumerate(super().chances(state)))

    def draw(self, state, uniform):
        return self.chances(state)[int(6 * uniform())]


def test_floats_become_fractions(tmp_path):
    """1/6 as a float is written as 1/6; decimals that do not sum to 1 are refused, as by Gambit."""

    class Floats(type(rules("kuhn"))):
        def chances(self, state):
            return tuple((deal, float(chance)) for deal, chance in super().chances(state))

    td.games.write_efg(Floats(), tmp_path / "game.efg")
    assert " 1/6 " in (tmp_path / "game.efg").read_text()
    with pytest.raises(td.errors.ParameterError, match="Fractions"):
        td.games.write_efg(Uneven(), tmp_path / "uneven.efg")
    assert not (tmp_path / "uneven.efg").exists()


class Named:
    """A game with player 0's card shown as nothing or as "1", numbered 1 and 2 in a file."""

    name, players = "named", 1

    def root(self):
        return ()

    def player(self, state):
        return (td.CHANCE, 0, td.TERMINAL)[len(state)]

    def actions(self, state):
        return ("", "1")

    def chances(self, state):
        return (("", 0.5), ("1", 0.5))

    def child(self, state, action):
        return (*state, action)

    def payoffs(self, state):
        return (float(state[0] == state[1]),)

    def view(self, state, player):
        return state[0]


def test_a_name_is_never_read_as_a_number(tmp_path):
    """An unnamed infoset gets its number as a name, which may equal another's name."""
    td.games.write_efg(Named(), tmp_path / "named.efg")
    again = td.compile_game(td.games.read_efg(str(tmp_path / "named.efg")))
    assert again.infosets == 2 and td.check_game(again.game).ok
    assert td.best_response(td.Profile.uniform(again), 0).value == 1
    text = 'EFG 2 R "g" { "A" }\nc "" 1 "" { "x" 1/3 "y" 1/3 "z" 1/3 } 0\n' + "".join(
        f'p "" 1 {number} "{name}" {{ "a" }} 0\nt "" 0\n' for number, name in ((1, ""), (2, "1"), (12, "2 1"))
    )
    game = td.games.read_efg(written(tmp_path, text))
    assert len({game.view(game.child(0, label), 0) for label in game.actions(0)}) == 3


def test_waiting_players_know_their_last_move(tmp_path):
    """Perfect recall everywhere: a view changes only with the player's own moves."""
    td.games.write_efg(td.load_game("kuhn"), tmp_path / "kuhn.efg")
    game, seen = td.games.read_efg(str(tmp_path / "kuhn.efg")), set()
    stack = [(game.root(), ("", ""))]
    while stack:
        state, known = stack.pop()
        mover = game.player(state)
        for player in range(2):
            assert player == mover or game.view(state, player) == known[player]
        for label in labels(game, state):
            step = (game.view(state, mover), label) if mover >= 0 else None
            stack.append((game.child(state, label), tuple(step if p == mover else known[p] for p in range(2))))
        seen |= {known}
    assert (("K|", "p"), ("J|p", "b")) in seen and ("", "") in seen


def test_numbers_of_numpy_are_written(tmp_path, kuhn):
    class Scaled(type(rules("kuhn"))):
        def payoffs(self, state):
            return tuple(np.float64(0.1) * np.int64(amount) for amount in super().payoffs(state))

        def chances(self, state):
            return tuple((deal, np.float64(chance)) for deal, chance in super().chances(state))

    td.games.write_efg(Scaled(), tmp_path / "scaled.efg")
    again = td.compile_game(td.games.read_efg(str(tmp_path / "scaled.efg")))
    assert np.array_equal(again.payoffs, 0.1 * kuhn.payoffs)


#: Gambit 16.7 reads labels of printable ASCII without a space at an end or beside another one.
GAMBIT = re.compile(r"(?! )(?:[!-~]|(?<! ) )*(?<! )")


class Labelled(Named):
    """Player 0 sees a text and chooses between texts."""

    def __init__(self, *texts):
        self.texts, self.name, self.title = texts, "labelled", texts[0]

    def player(self, state):
        return (0, td.TERMINAL)[len(state)]

    def actions(self, state):
        return self.texts

    def view(self, state, player):
        return "/".join(self.texts)

    def payoffs(self, state):
        return (self.texts.index(state[0]),) * self.players


AWKWARD = [
    "first line\nsecond line",
    " a ",
    "a  b",
    "手札",
    "tab\t",
    "\\",
    'a "quote"',
    "\x00",
    "\r\n",
    "",
    "plain",
    "é\\",
]


@given(st.lists(st.text(st.sampled_from(' a\\"\n\té&'), max_size=6), min_size=1, max_size=4, unique=True))
@example(AWKWARD)
@settings(max_examples=60, deadline=None)
def test_gambit_can_read_all_labels(tmp_path_factory, texts):
    path = tmp_path_factory.mktemp("efg") / "labels.efg"
    td.games.write_efg(Labelled(*texts), path)
    text = path.read_bytes().decode("ascii")
    assert len(text.splitlines()) == 4 + len(texts)
    strings = re.findall(r'"((?:[^"\\]|\\.)*)"', text)
    assert all(GAMBIT.fullmatch(string.replace('\\"', '"')) for string in strings)
    again = td.games.read_efg(path)
    assert again.payoffs(again.child(0, again.actions(0)[-1]))[0] == len(texts) - 1


def test_files_are_games_by_their_names(tmp_path):
    td.games.write_efg(td.load_game("kuhn"), path := tmp_path / "kuhn.EFG")
    assert td.exact_solution(td.load_game(str(path))).values[0] == Fraction(-1, 18)
    with pytest.raises(td.errors.ParameterError) as caught:
        td.load_game(str(path), path="other.efg")
    assert caught.value.key == "path"
    with pytest.raises(td.errors.RunError):
        td.load_game("missing.efg")
