"""What is said at a table of Koi-Koi, in English and Japanese."""

# ruff: noqa: RUF001, E501
from __future__ import annotations

#: Words by language; what stands in braces is filled in.
WORDS = {
    "en": {
        "you": "you", "other": "the other", "nothing": "nothing", "stays": "stays", "takes": "takes {}", "or": " or ",
        "field": "field", "your hand": "your hand", "your pile": "your pile", "other pile": "the other's pile",
        "turn": "Turn {} of {}, {} cards in the stock.", "called": "calls of koi-koi: you {}, the other {}",
        "plays": "{} played {}: {}", "draws": "drew {}: {}", "calls": "{}: koi-koi!", "stops": "{}: stop.",
        "drawn": "You draw {}.", "played": "You play {}.", "which": "Which card does it take?",
        "wants": "{} more of {}", "needs": "wants {}", "if": "if you stop: {}", "base": "in all {}",
        "stop": "stop", "koi-koi": "koi-koi", "exhausted": "All cards are played, and nobody has stopped.",
        "won": "{} wins with {}", "teyaku": "A hand dealt with four of a month or four pairs ends the round.",
        "round": "Round {} of {}, {}. You have {}, the other {}.", "deal": "you deal", "dealt": "the other deals",
        "match": "The match is over after {}: you {}, the other {}.", "ahead": "you win", "behind": "you lose", "even": "drawn",
        "hint": "{} {:+.2f}", "hints": "worth, as the searcher sees it: {}", "no hint": "There is no hint here.",
        "wait": "What hints need is learned, once, and kept: round {} of {}.",
        "help": "Write a number, a code (1B) or a name; q leaves, and what was won is told.", "none": "{} is none of: {}.",
        "ask": "which? ", "rounds": "{} rounds",
        "points": "{} points", "near": "near", "has": "has", "times": "times {} ({})", "bonus": "own calls make {}",
    },
    "ja": {
        "you": "あなた", "other": "相手", "nothing": "なし", "stays": "場に残る", "takes": "{}を取る", "or": "か",
        "field": "場", "your hand": "手札", "your pile": "取り札", "other pile": "相手の取り札",
        "turn": "{}手目（全{}手）、山札{}枚。", "called": "こいこい: あなた{}回、相手{}回",
        "plays": "{}: {}を出す、{}", "draws": "{}をめくる、{}", "calls": "{}: こいこい！", "stops": "{}: 勝負。",
        "drawn": "{}をめくりました。", "played": "{}を出しました。", "which": "どの札を取りますか。",
        "wants": "あと{}枚（{}）", "needs": "あと{}", "if": "勝負なら{}", "base": "計{}",
        "stop": "勝負", "koi-koi": "こいこい", "exhausted": "流局です。",
        "won": "{}の勝ち、{}", "teyaku": "手役でこの回は終わりです。",
        "round": "{}回戦（全{}回）、{}。あなた{}文、相手{}文。", "deal": "あなたが親", "dealt": "相手が親",
        "match": "{}で終わり: あなた{}文、相手{}文。", "ahead": "あなたの勝ち", "behind": "あなたの負け", "even": "引き分け",
        "hint": "{} {:+.2f}", "hints": "探索の見積もり: {}", "no hint": "ここではヒントがありません。",
        "wait": "ヒントのための学習（一度だけ、保存されます）: {} / {}回。",
        "help": "番号、記号（1B）、名前のどれかを入力。q で終了。", "none": "{}はできません: {}。",
        "ask": "どれ? ", "rounds": "{}回",
        "points": "{}文", "near": "もうすぐ", "has": "役", "times": "{}倍（{}）", "bonus": "こいこいで{}",
    },
}  # fmt: skip
