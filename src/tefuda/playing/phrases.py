"""Phrases of all games at the terminal, in English and Japanese, with braces for values."""

# ruff: noqa: RUF001
from __future__ import annotations

from collections.abc import Mapping

#: Phrases of one language by name.
Words = Mapping[str, str]

_TEXTS = {
    "welcome": (
        "You are player {} of {} at {}. (? helps, q leaves)",
        "あなたはプレイヤー{}（全{}人）、ゲームは{}です。（? で使い方、q で終了）",
    ),
    "hold": ("You hold {}.", "手元: {}。"),
    "hold and table": ("You hold {}; {}.", "手元: {}。{}。"),
    "question": ("{}? ", "{}? "),
    "or": ("{} or {}", "{}または{}"),
    "help": (
        "Write an action, its letter, or the start of it. ? prints this help; q quits and prints your result.",
        "行動の名前、括弧の中の記号、またはその始めを入力。? でこの表示、q で終了して結果を表示。",
    ),
    "refusal": ("{} is none of: {}.", "{}は選べません: {}。"),
    "end": ("The end: {}.", "終わり: {}。"),
    "shows": ("Player {} shows {}.", "プレイヤー{}の手元: {}。"),
    "win": ("You win {}.", "{}の勝ち。"),
    "lose": ("You lose {}.", "{}の負け。"),
    "even": ("You break even.", "損得なし。"),
    "after a hand": ("After 1 hand: {}.", "1回を終えて: {}。"),
    "mean after hands": ("After {:,} hands: {}, {} a hand.", "{:,}回を終えて: {}、1回あたり{}。"),
    "you": ("you", "あなた"),
    "hand": ("Hand {}", "第{}回"),
    "hand of": ("Hand {} of {}", "第{}回（全{}回）"),
    "after hands": ("After {:,} hands: {}.", "{:,}回を終えて: {}。"),
    "seed": ("Seed {}.", "乱数の種 {}。"),
    "save": ("save the game in a file, to resume it later", "ファイルに保存し、あとで続けられるようにする"),
    "save where": ("Write save FILE.", "save ファイル名 と書いてください。"),
    "saved": (
        "Saved in {}: tefuda play {} --resume {} resumes it.",
        "{}に保存しました。tefuda play {} --resume {} で続けられます。",
    ),
    "holds": ("the game is saved in {}; --resume {} resumes it", "{}に保存されています。--resume {} で続けられます"),
    "not saved": ("Not saved: {}", "保存できません: {}"),
    "nothing saved": ("nothing is saved", "保存されていません"),
    "cancelled": ("Cancelled.", "取り消しました。"),
    "hint": ("the coach's strategy here", "コーチならどうするか"),
    "worth": (", worth {}", "、期待値{}"),
    "unknown": ("its value is unknown", "価値は分かりません"),
    "good": ("as good as any", "最善と同じ"),
    "costs": ("that costs {}", "損は{}"),
    "a decision": ("1 decision", "決定1回"),
    "decisions": ("{} decisions", "決定{}回"),
    "no mistake": ("no mistake", "誤りなし"),
    "a mistake": ("1 mistake that cost {}", "誤り1回、損{}"),
    "mistakes": ("{} mistakes that cost {}", "誤り{}回、損{}"),
    "of unknown": ("; {} of unknown cost", "、うち{}回は不明"),
    "lesson": ("{}, {}{}.", "{}、{}{}。"),
    "verdict": ("{}: {}.", "{}: {}。"),
    "command": ("{}: {}.", "{}: {}。"),
    "preparing": ("preparing the agents", "相手を準備しています"),
    "compiling": (
        "compiling kernels (once; up to a minute)",
        "計算部分をコンパイルしています（初回のみ、最長一分ほど）",
    ),
    "compiling always": (
        "compiling kernels (every time: no writable cache folder; set TEFUDA_CACHE)",
        "計算部分をコンパイルしています（保存できるフォルダがないため毎回。TEFUDA_CACHE で指定できます）",
    ),
}

PHRASES: Mapping[str, Words] = {
    language: {name: texts[number] for name, texts in _TEXTS.items()} for number, language in enumerate(("en", "ja"))
}
