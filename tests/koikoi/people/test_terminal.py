"""Koi-Koi at the terminal by scripted input: output in two languages, matches, hints, saved games."""

import random
import re
from contextlib import suppress
from itertools import chain, repeat

import pytest
from typer.testing import CliRunner

from tefuda.apps.cli import app
from tefuda.games.kit import kit_of
from tefuda.koikoi.game import STOP
from tefuda.koikoi.people.phrases import phrases
from tefuda.koikoi.people.terminal import KoiKoiPerson, MatchSeries
from tefuda.koikoi.playing.agents import GreedyAgent
from tefuda.koikoi.reduced import koikoi, mini8
from tefuda.playing.agents import Decision
from tefuda.playing.human import PlayerQuit
from tefuda.playing.session import Session, read_session, restore_session, save_session
from tefuda.words import display_width
from tests.koikoi.random_rounds import redeal_hidden, states

GAME = koikoi()


def scripted_session(answers, rounds=3, seed=4, language="en", hints=None, preset="standard", **options):
    """Return a session with these answers against greedy play, and its output; then the player quits."""
    lines, queue = [], chain(answers, repeat("q"))

    def ask(question):
        lines.append(question)
        return next(queue)

    person = KoiKoiPerson(ask=ask, notify=lines.append, language=language, hints=hints)
    series = kit_of(koikoi(preset, rounds=rounds, **options)).series()
    series.language = language
    return Session(series.game, person, [[GreedyAgent()], [GreedyAgent()]], seed, series), lines


def test_a_whole_match():
    """Three rounds; the winner of a round deals the next; points add up to the reported result."""
    made, lines = scripted_session(["1"] * 99)
    made.play()
    points = [hand.end.payoffs[0] for hand in made.ended]
    lead = sum(hand.won[0] for hand in made.ended)
    assert len(points) == 3 and lead == made.person.total != 0
    for hand, later in zip(made.ended, made.ended[1:], strict=False):
        winner = hand.seating[0] if hand.end.payoffs[0] > 0 else hand.seating[1]
        assert later.seating[0] == (winner if hand.end.payoffs[0] else 1 - hand.seating[0])
    titles = [line for line in lines if line.startswith("Round")]
    assert titles[0] == "Round 1 of 3, you deal. You have 0, the opponent 0."
    assert [f"{title.split('.')[0][-5:]}" for title in titles[1:]] == [
        "deals" if hand.seating[0] else " deal" for hand in made.ended[1:]
    ]
    end = "you win" if lead > 0 else "you lose"
    assert lines[-1] == f"The match is over after 3 rounds: you {lead:g}, the opponent {-lead:g}. {end}"


def test_agents_receive_the_match_state():
    """Agents receive it before each round, with their number in the match, and after resuming."""
    heard = []

    class Hearing(GreedyAgent):
        def stand(self, standing, player):
            heard.append((standing, player))

    made, _ = scripted_session(["1"] * 99)
    made.others = [[Hearing()], [Hearing()]]
    made.play()
    leads = [sum(hand.won[0] for hand in made.ended[:at]) for at in range(3)]
    assert [(standing.rounds_played, standing.lead, player) for standing, player in heard] == [
        (at, lead, 1) for at, lead in enumerate(leads)
    ]


def test_a_match_ends_when_a_player_has_no_points():
    made, lines = scripted_session(["1"] * 999, rounds=60, preset="koikoi_japan", start=5)
    made.play()
    assert len(made.ended) < 60 and abs(made.person.total) >= 5 and "Round 1 of 60, you deal. You have 5" in lines[0]


def test_exhaustion_and_teyaku_are_reported_and_choose_the_dealer():
    """After a draw, switch changes the dealer and keep does not; a teyaku ends a round at once."""
    seen = set()
    for preset in ("standard", "koikoi_japan"):
        for seed in range(30):
            made, lines = scripted_session(["1"] * 99, rounds=2, seed=seed, preset=preset, start=0)
            made.play()
            first, second = made.ended
            events = first.end.state.events
            if not events.endswith((STOP, "teyaku")):
                seen.add(preset)
                assert (second.seating == first.seating) == (preset == "koikoi_japan")
                assert any("neither player has stopped" in line for line in lines)
    assert seen


def test_cards_are_named_by_number_code_and_name():
    """Illegal answers are refused without changing the game; one of two cards must be picked."""
    made, lines = scripted_session(["99", "0", "9Z", "1C", "", "pine", "6r"], rounds=1)
    with pytest.raises(PlayerQuit):
        made.play()
    refused = [line for line in lines if "is not possible. Choose one of: " in line]
    assert [line.split(" is ")[0] for line in refused] == ["'99'", "'0'", "'9Z'", "'1C'", "''", "'pine'"]
    assert "pine with crane (1B)" in refused[0]
    assert made.history.labels[24] == "6R" and "you played 6R peony with blue ribbon" in "\n".join(lines)
    for answer in ("1b", "1B", "pine with cr", "1"):
        made, _ = scripted_session([answer], rounds=1)
        with pytest.raises(PlayerQuit):
            made.play()
        assert made.history.labels[24] == "1B"
    made, _ = scripted_session(["松に鶴"], rounds=1, language="ja")
    with pytest.raises(PlayerQuit):
        made.play()
    assert made.history.labels[24] == "1B"


def test_the_decision_shows_the_points_of_stopping():
    """The decision shows the payoff of stopping, and both actions by name in both languages."""
    shown = {}
    for language in ("en", "ja"):
        for seed in range(12):
            made, lines = scripted_session(["1"] * 99, rounds=1, seed=seed, language=language)
            made.play()
            start = f"  1  {phrases('table', language)['stop']}: "
            stop = [line for line in "\n".join(lines).split("\n") if line.startswith(start)]
            if made.person.total > 0 and stop:  # a player without cards is not asked
                shown[language] = stop[-1]
                assert re.search(rf"= {made.person.total:g}( points|文)$", stop[-1])
    assert len(shown) == 2


def test_hints_are_shown_on_request():
    asked = []

    def hints(game, view, seat):
        asked.append((view, seat))
        return [("1B", 1.5), ("1R", -0.25)]

    made, lines = scripted_session(["?"], hints=hints)
    with pytest.raises(PlayerQuit):
        made.play()
    assert len(asked) == 1 and "  1B pine with crane +1.50\n  1R pine with poem ribbon -0.25\n" in "\n".join(lines)
    made, lines = scripted_session(["?"])
    with pytest.raises(PlayerQuit):
        made.play()
    assert "No hint is available here." in "\n".join(lines)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_output_reveals_no_hidden_cards(language):
    """The output at every decision is the same if the hidden cards are redealt."""
    rng, decided = random.Random(1), 0
    for seed in range(3):
        for state in states(GAME, seed):
            if (player := GAME.player(state)) < 0:
                continue
            reports = []
            for one in (state, redeal_hidden(state, player, rng)):
                person = KoiKoiPerson(notify=reports.append, language=language)
                person.start(GAME, player)
                person.show(Decision(-1, GAME.view(one, player), GAME.actions(one), 0.5, player))
            assert reports[:2] == reports[2:]
            decided += 1
    assert decided > 20


def test_a_saved_match_resumes(tmp_path):
    """A match that is interrupted at any decision ends as an uninterrupted one."""
    whole, reports = scripted_session(["1"] * 99, rounds=2)
    whole.play()
    path, decisions = tmp_path / "m.json", sum(line == "which? " for line in reports)
    for stop in range(0, decisions, 4):
        first, _ = scripted_session(["1"] * stop, rounds=2)
        with pytest.raises(PlayerQuit):
            first.play()
        save_session(path, first, ["greedy"], {})
        second, lines = scripted_session(["1"] * 99, rounds=2)
        restore_session(path, second, read_session(path))
        second.play()
        assert [hand.end for hand in second.ended] == [hand.end for hand in whole.ended] and lines[-1] == reports[-1]


def test_at_the_command_line(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["play", "koikoi", "--against", "greedy", "--rounds", "3", "--seed", "4", "--language", "ja"]
    left = CliRunner().invoke(app, [*words, "--save", "m.json"], input="1\n99\n1\nq\n")
    assert left.exit_code == 0 and "手札" in left.stdout and "はできません" in left.stdout
    again = CliRunner().invoke(app, ["play", "koikoi", "--resume", "m.json", "--json"], input="1\n" * 60)
    assert again.exit_code == 0 and "3回で終わり" in again.stdout and '"left": false' in again.stdout
    for changed, message in (
        (["play", "koikoi", "--resume", "m.json", "--rounds", "6"], "--rounds is 6"),
        (["play", "mini8", "--resume", "m.json"], "the file is of koikoi"),
        (["play", "koikoi", "--language", "fr"], "--language is 'fr'"),
        (["play", "koikoi", "--hands", "3"], "leave --hands out"),
        (["play", "koikoi", "--rounds", "0"], "rounds"),
    ):
        refused = CliRunner().invoke(app, changed)
        assert refused.exit_code == 2 and message in refused.stderr, (changed, refused.stderr)


def test_reduced_games_are_played_in_rotation():
    assert kit_of(mini8()).series() is None and isinstance(kit_of(GAME).series(), MatchSeries)
    result = CliRunner().invoke(
        app, ["play", "mini8", "--against", "greedy", "--hands", "2", "--seed", "1"], input="1\n" * 20
    )
    assert result.exit_code == 0 and "Hand 2 of 2" in result.stdout and "After 2 hands" in result.stdout


def test_english_output_is_ascii():
    """The output includes whole matches, help and error messages."""
    for preset in ("standard", "koikoi_japan", "nintendo_growing"):
        made, lines = scripted_session(["?", "x", *["1"] * 99], rounds=2, preset=preset, hints=lambda *_: [("1B", 1.0)])
        made.play()
        assert "\n".join([*lines, made.person.result()]).isascii()


def test_facts_of_a_match():
    """The facts of a match are those of its state, and its end is known."""
    made, _ = scripted_session(["1"] * 99)
    made.play()
    for number in range(4):
        ended, facts = made.ended[:number], made.series.facts(made.ended[:number])
        lead = sum(hand.won[0] for hand in ended)
        assert facts["points"] == (lead, -lead) and facts["rounds"] == 3 and facts["round"] == number + 1
        assert facts["over"] == (number == 3)
        if number < 3:
            assert facts["deals"] == (made.ended[number].seating[0] == 0)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_boards_fit_80_columns_and_24_lines(language):
    """Each board of a match with its question fits a terminal of 80 x 24, with long lines folded."""
    longest = 0
    for answer in ("1", "2"):
        made, lines = scripted_session([answer] * 999, rounds=6, language=language)
        with suppress(PlayerQuit):
            made.play()
        for board in lines:
            longest = max(longest, sum(max(1, -(-display_width(line) // 80)) for line in board.split("\n")))
    assert 12 < longest < 24
