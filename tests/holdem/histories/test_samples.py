"""Sample hands of all formats: results to the unit, damaged files, mutations."""

import random
import re
from dataclasses import replace
from datetime import UTC, datetime

import pytest

import tefuda as td
from tefuda.holdem import read_histories
from tefuda.holdem.cards import cards_text
from tefuda.holdem.histories.reading import read_text
from tests.holdem.histories.samples import EXPECTED, FILES, FOLDER, TEXTS
from tests.holdem.histories.writers import facts

HANDS = {entry["id"]: entry for entries in EXPECTED.values() for entry in entries if "net" in entry}
SKIPPED = [entry["skipped"] for entries in EXPECTED.values() for entry in entries if "skipped" in entry]
STARTS = re.compile(r'^(?:\ufeff?PokerStars |Poker Hand |#Game No|Winamax|\s*<game |\{\n? "ohh")', re.MULTILINE)


def differences(hand):
    """The fields of a hand that are not as expected."""
    entry, payments = HANDS[hand.number], hand.payments
    found = {
        "net": hand.net, "rake": payments.rake, "jackpot": payments.jackpot, "house": payments.house,
        "unit": str(hand.unit), "currency": hand.currency, "hero": hand.names[hand.hero],
        "fast": "fast" in hand.flags, "kind": "tournament" if hand.tournament else "cash",
        "start_utc": hand.start.strftime("%Y-%m-%dT%H:%M:%SZ") if hand.start.tzinfo else None,
        "posted": {name: post for name, post in zip(hand.names, hand.rules.posts, strict=True) if post},
        "dead": {name: dead for name, dead in zip(hand.names, hand.dead, strict=True) if dead},
        "boards": [cards_text(board, "") for board in hand.boards], "rake_is": "derived" * payments.is_derived,
        "stacks": {seat.name: seat.stack for seat in hand.seats},
        "blinds": sorted(filter(None, hand.rules.blinds)),
        "net_without_cash_out": without_cash_outs(hand),
    }  # fmt: skip
    defaults = {"fast": False, "start_utc": None, "posted": {}, "dead": {}, "boards": [], "rake_is": ""}
    same = {"stacks": found["stacks"], "blinds": found["blinds"], "net_without_cash_out": hand.net}
    if tournament := entry.get("tournament"):
        ours = hand.tournament
        named = {"id": ours.number, "buy_in": [*ours.buy_in], "currency": ours.currency, "level": ours.level}
        found["tournament"] = {name: named[name] for name in tournament}
    wanted = defaults | same | {name: value for name, value in entry.items() if name in found}
    return {name: (found[name], wanted[name]) for name in wanted if found[name] != wanted[name]}


def without_cash_outs(hand):
    outside = hand.payments.outside or (0,) * hand.rules.players
    return {name: won - extra for (name, won), extra in zip(hand.net.items(), outside, strict=True)}


def balanced(hand):
    """A hand is over, its betting legal, its chips add up and no stack is below 0."""
    payments, states = hand.payments, [before for before, _ in hand.replay()]
    stacks = [seat.stack + won for seat, won in zip(hand.seats, hand.net.values(), strict=False)]
    fees = payments.rake + payments.jackpot + payments.house
    return (
        hand.hand.wagers.is_over
        and len(states) == len(re.findall("[fc/]|r[0-9]*", hand.hand.line))
        and sum(hand.net.values()) == payments.added - fees
        and min(stacks) >= min(0, *payments.outside)
    )


def test_all_hands_to_the_unit():
    hands = read_histories(FILES)
    assert [hand.number for hand in hands] == [*HANDS] and not any(map(differences, hands))
    assert [skipped.reason for skipped in hands.skipped] == SKIPPED and all(map(balanced, hands))
    assert hands.summary == (
        "24 hands: 18 read, 2 not hold'em, 1 cancelled, 1 cut off, 1 duplicate, 1 does not balance"
    )
    assert hands.hands[0].source == str(FILES[0]) and hands.hands[6].line == 31
    assert td.holdem.read_histories(FOLDER).summary == hands.summary


def test_results_before_rake_are_those_of_the_rules():
    for hand in read_histories(FILES):
        paid, payments = hand.payoffs, hand.payments
        assert paid is None or sum(paid) == 0
        if paid and not any(payments.outside):
            taken = [one - other for one, other in zip(paid, hand.net.values(), strict=True)]
            assert sum(taken) == payments.rake + payments.jackpot and min(taken) >= 0


#: Ways of writing the same text. Windows-1252 has no narrow no-break space.
ENCODED = {
    "crlf": lambda text: text.replace("\n", "\r\n").encode(),
    "cr": lambda text: text.replace("\n", "\r").encode(),
    "bom": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "utf-16": lambda text: text.encode("utf-16"),
    "windows-1252": lambda text: text.encode("cp1252"),
    "indented": lambda text: text.replace("\n", "\n  ").encode(),
}


@pytest.mark.parametrize("way", ENCODED)
def test_encodings_and_line_ends(way, tmp_path):
    for file in FILES:
        (tmp_path / file.name).write_bytes(ENCODED[way](TEXTS[file.name]))
    hands = read_histories(tmp_path)
    assert [hand.number for hand in hands] == [*HANDS] and not any(map(differences, hands))
    assert [skipped.reason for skipped in hands.skipped] == SKIPPED


def test_doubled_and_shuffled_files(tmp_path):
    """Each hand counts once; its copies are duplicates. Files of different rooms can be one."""
    rooms = [text for name, text in TEXTS.items() if name[:2] not in ("11", "12")]
    for number in range(5):
        (tmp_path / f"{number}.txt").write_text("".join(random.Random(number).sample(rooms * 2, 2 * len(rooms))))
    hands = read_histories(tmp_path)
    assert len(hands) == 14 and not any(map(differences, hands))
    assert hands.reasons["duplicate"] == 14 * 9 + 10 and hands.reasons["game"] == 20


@pytest.mark.parametrize("name", TEXTS)
def test_files_cut_at_every_line(name):
    """All hands before the cut are read and no other results appear."""
    lines = TEXTS[name].splitlines(keepends=True)
    complete = [hand.number for hand in read_text("".join(lines), name)]
    for cut in range(1, len(lines)):
        text = "".join(lines[:cut])
        try:
            hands = read_text(text, name)
        except td.errors.RunError:
            assert not STARTS.findall(text) or cut < 3
            continue
        assert not any(map(differences, hands)), cut
        numbers = [hand.number for hand in hands]
        ended = len(STARTS.findall(text)) - len(hands.skipped) - 1
        assert numbers == complete[: len(numbers)] and len(numbers) >= min(ended, len(complete)), cut


def mutated(rng, text):
    """A text with another digit, another name or another order of lines."""
    kind = rng.choice(("digit", "digit", "name", "line"))
    if kind == "digit":
        place = rng.choice([match.start() for match in re.finditer(r"\d", text)])
        return text[:place] + rng.choice("0123456789") + text[place + 1 :]
    if kind == "name":
        names = list(re.finditer("Ash|Birch|Cedar|Dahlia|Elm|Fern|Hero|a1b2c3d4|b2c3d4e", text))
        if names:
            match = rng.choice(names)
            return text[: match.start()] + rng.choice(names)[0] + text[match.end() :]
    lines = text.splitlines(keepends=True)
    place = rng.randrange(len(lines))
    line = lines.pop(place)
    if rng.random() < 0.5:
        lines.insert(rng.randrange(len(lines) + 1), line)
    elif rng.random() < 0.5:
        lines[place:place] = [line, line]
    return "".join(lines)


@pytest.mark.parametrize("mutations", [600, pytest.param(5000, marks=pytest.mark.slow)])
def test_mutated_hands_are_skipped_or_balanced(mutations):
    rng, read, skipped = random.Random(mutations), 0, 0
    for _ in range(mutations):
        name = rng.choice([*TEXTS])
        try:
            hands = read_text(mutated(rng, TEXTS[name]), name)
        except td.errors.RunError:
            continue
        assert all(map(balanced, hands)), name
        read, skipped = read + len(hands), skipped + len(hands.skipped)
    assert read > mutations / 2 and skipped > mutations / 2


def digits(number):
    return re.sub(r"\D", "", number)


@pytest.mark.parametrize("ending", ["txt", "ohh", "phhs"])
def test_samples_are_exported(ending, tmp_path):
    """Written and read back, hands have the same seats, bets, betting, results, fees and starts."""
    hands = read_histories(FILES)
    written, left_out = hands.export(tmp_path / f"all.{ending}", names=True)
    again = {digits(hand.number): hand for hand in read_histories(tmp_path)}
    wanted = [hand for hand in hands if not (ending == "ohh" and hand.boards)]
    text = (tmp_path / f"all.{ending}").read_text(encoding="utf-8")
    assert [text.count(f"*** {run} RIVER") for run in ("FIRST", "SECOND", "THIRD")] == [ending == "txt"] * 2 + [0]
    assert written == len(again) == len(wanted) and sum(left_out.values()) == len(hands) - written
    for hand in wanted:
        other, is_phh = again[digits(hand.number)], ending == "phhs"
        assert other.results == hand.results and (other.names, other.currency) == (hand.names, hand.currency)
        assert is_phh or (facts(other), other.absent, other.hero) == (facts(hand), hand.absent, hand.hero)
        assert is_phh or (other.boards, other.shown, other.net) == (hand.boards, hand.shown, hand.net)
        assert hand.start.replace(tzinfo=None) == (other.start or hand.start).replace(tzinfo=None)
        assert ending == "txt" or (other.room, other.number) == (hand.room, hand.number)


@pytest.mark.parametrize("ending", ["txt", "ohh", "phhs"])
def test_exports_have_aliases(ending, tmp_path):
    """No name, table or minute of the files is in the export, and no chip is lost."""
    hands, file = read_histories(FILES), tmp_path / f"all.{ending}"
    hands.export(file)
    text = file.read_text(encoding="utf-8")
    names = {seat.name for hand in hands for seat in (*hand.seats, *hand.absent)}
    for private in names:
        assert not re.search("[^0-9]", private) or not re.search(rf"\b{re.escape(private)}\b", text), private
    again = read_histories(file)
    results = {digits(hand.number): hand.results for hand in hands}
    assert all(hand.results == results[digits(hand.number)] for hand in again) and len(again) >= 17
    assert all(re.fullmatch(r"P\d+", name) for hand in again for name in hand.names)
    assert all(hand.start is None or hand.start.minute == 0 for hand in again)
    assert {hand.table for hand in again} <= {"", "tefuda"}
    assert ending == "phhs" or hands.hands[0].export(ending) == text[: len(hands.hands[0].export(ending))]


def test_hands_that_cannot_be_exported(tmp_path):
    """A hand without a number gets its place; an unfinished one has no result."""
    game = td.load_game("holdem")
    state = game.root()
    for label in "As Ks 7h 2c f".split():
        state = game.child(state, label)
    over, unfinished = td.holdem.record_of(game, state), td.holdem.record_of(game, game.root())
    endless = replace(over, unknown_stacks=frozenset({0}))
    hands = td.holdem.HandCollection((over, over, unfinished, endless))
    written, left_out = hands.export(tmp_path / "some.txt")
    again = read_histories(tmp_path / "some.txt")
    assert (written, [*left_out.values()]) == (2, [2])
    assert [hand.number for hand in again] == ["1", "2"] and [hand.results for hand in again] == [over.results] * 2
    for path, chosen in (("none.txt", (unfinished,)), ("some.csv", (over,)), ("some.phh", (over, over))):
        with pytest.raises(td.errors.ParameterError):
            td.holdem.HandCollection(chosen).export(tmp_path / path)
    assert not (tmp_path / "none.txt").exists()


@pytest.mark.parametrize("hour", [4, 5, 6, 7])
def test_starts_in_the_hour_that_comes_twice(hour):
    """At 6:00 UTC of 1 November 2026 the clocks of New York go back to 1:00."""
    (hand,) = read_histories(FILES[0])
    hand = replace(hand, start=datetime(2026, 11, 1, hour, 30, tzinfo=UTC))
    (again,) = read_text(hand.export("txt", names=True))
    assert again.start == hand.start
