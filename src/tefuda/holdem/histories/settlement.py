"""Settlement of a hand: the chips that players collect, and the fees of the room.

The balance decides facts that files leave open: whether collected chips contain the uncalled bet, and a rake that is
not stated. Winners must be those of the strengths, as far as cards are known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set

from tefuda.holdem.hands.hand import HIDDEN, Hand
from tefuda.holdem.hands.rules import TableRules
from tefuda.holdem.histories.draft import Draft, SkipHand
from tefuda.holdem.histories.record import CASHED_OUT, Award, Payments, best_cards

_HIGH = 15  # percent of the pot above which a derived rake is doubtful


def settle(
    draft: Draft, rules: TableRules, hand: Hand, boards: Sequence[Sequence[int]], places: Mapping[str, int]
) -> Payments:
    """Return the payments of a finished hand.

    Args:
        draft: facts of the hand.
        rules: rules of the table.
        hand: last state.
        boards: boards, more than one if the hand was run more than once.
        places: players by name.

    Raises:
        SkipHand: the chips do not balance, or the winners are not those of the strengths.
    """
    uncalled, pot = rules.uncalled(hand.wagers), sum(rules.called(hand.wagers))
    if any(name not in places for name, _, _ in draft.awards):
        raise SkipHand("does not balance", "a player who was not dealt in collects chips", draft.line)
    awards = [Award(places[name], amount, label) for name, amount, label in draft.awards]
    payments, missing = _balanced(draft, awards, pot, uncalled)
    outside = [0] * rules.players
    for name, amount in draft.cash_outs.items():
        outside[places[name]] += amount
    for award in _missing_awards(draft, places, payments.collected(rules.players), missing):
        payments = payments._replace(awards=(*payments.awards, award))
        outside[award.player] -= award.amount
    _check_total(draft, pot, sum(uncalled), payments)
    mucked = {places[name] for name, cards in draft.shown.items() if not cards and name in places}
    _check_winners(rules, hand, boards, payments, mucked)
    if payments.is_derived and 100 * payments.rake > _HIGH * pot:
        draft.flags.add("high rake")
    return payments._replace(outside=tuple(outside))


def _balanced(draft: Draft, awards: list[Award], pot: int, uncalled: list[int]) -> tuple[Payments, int]:
    """Return the payments, and the chips that no player collects, as their winner cashed out."""
    collected, extra, due = sum(award.amount for award in awards), sum(uncalled), pot + draft.added
    if draft.returned not in (None, extra):
        raise SkipHand("does not balance", f"{draft.returned} are returned, not {extra}", draft.line)
    if not awards and not draft.cash_outs:
        raise SkipHand("cut off", "no player collects the pot", draft.line)
    player = max(range(len(uncalled)), key=uncalled.__getitem__)
    own = sum(award.amount for award in awards if award.player == player)
    rakes = {False: due - collected - draft.jackpot}
    if 0 < extra <= own and draft.returned is None:
        rakes[True] = rakes[False] + extra
    contained = _contained(draft, rakes, pot)
    rake = rakes[contained] if draft.rake is None else draft.rake
    awards = _without(awards, player, extra) if contained else awards
    payments = Payments(tuple(awards), rake, draft.jackpot, draft.added, is_derived=draft.rake is None)
    return payments, rakes[contained] - rake


def _contained(draft: Draft, rakes: Mapping[bool, int], pot: int) -> bool:
    """Return True if the awards contain the uncalled bet: by the rake, else as usual, unless it were high."""
    if draft.rake is not None:
        missing = rakes[False] - draft.rake
        if draft.rake not in rakes.values() and not (draft.cash_outs and missing > 0):
            raise SkipHand("does not balance", f"{-missing} chips too many are collected", draft.line)
        return missing != 0 and draft.rake in rakes.values()
    order = sorted(rakes, key=lambda contained: contained != draft.contains_uncalled)
    sound = [contained for contained in order if rakes[contained] >= 0]
    if not sound:
        raise SkipHand("does not balance", "more chips are collected than the pot has", draft.line)
    return next((contained for contained in sound if _HIGH * pot >= 100 * rakes[contained]), sound[0])


def _without(awards: list[Award], player: int, left: int) -> list[Award]:
    """Return the awards without the uncalled bet that a player's contain."""
    kept = []
    for award in reversed(awards):
        part = min(left, award.amount) if award.player == player else 0
        left -= part
        kept.append(award._replace(amount=award.amount - part))
    return [award for award in reversed(kept) if award.amount]


def _missing_awards(draft: Draft, places: Mapping[str, int], collected: list[int], missing: int) -> list[Award]:
    """Return the awards of players who cashed out, which the room keeps."""
    if not missing:
        return []
    players = [places[name] for name in draft.cash_outs if not collected[places[name]]]
    if not players:
        raise SkipHand("does not balance", f"{missing} chips are not collected", draft.line)
    share, odd = divmod(missing, len(players))
    return [Award(player, share + (place < odd), CASHED_OUT) for place, player in enumerate(players)]


def _check_total(draft: Draft, pot: int, uncalled: int, payments: Payments) -> None:
    """Compare the total of the file with the pot; some rooms add uncalled chips, or leave out fees."""
    fees = payments.rake + payments.jackpot
    full = pot + payments.added
    totals = {pot, full, full - fees, full + uncalled, full + uncalled - fees}
    if draft.total is not None and draft.total not in totals:
        raise SkipHand("does not balance", f"the pot has {pot}, not {draft.total}", draft.line)


def _check_winners(
    rules: TableRules, hand: Hand, boards: Sequence[Sequence[int]], payments: Payments, mucked: Set[int]
) -> None:
    """Compare the chips collected with the shares by strengths, unless a winner's cards are unknown.

    Players who muck forfeit the pots.
    """
    collected, live = payments.collected(rules.players), hand.wagers.live
    if any(chips for player, chips in enumerate(collected) if player not in live):
        raise SkipHand("does not balance", "a player who folded collects chips")
    hidden = {player for player in live if HIDDEN in hand.hole(player)}
    if len(live) > 1 and any(collected[player] for player in hidden):
        return
    losers = [player for player in live if player in hidden | mucked and not collected[player]]
    cards = {player: hand.hole(player) for player in live if player not in losers}
    best = [best_cards(cards, board) for board in boards]
    strengths = [[each.get(player, -(player in losers)) for player in range(rules.players)] for each in best]
    payoffs = rules.payoffs(hand.wagers, *strengths)
    fees, odd = payments.rake + payments.jackpot, len(boards) * len(live)
    for chips, payoff, paid in zip(collected, payoffs, rules.called(hand.wagers), strict=True):
        share = payoff + paid
        low, high = (share - fees - odd, share + payments.added + odd) if share > 0 else (0, 0)
        if not low <= chips <= high:
            raise SkipHand("does not balance", "the winners are not those of the strengths")
