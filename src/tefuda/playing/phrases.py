"""Phrases of all games at the terminal, in English and Japanese, with braces to fill in."""

# ruff: noqa: RUF001, E501
from __future__ import annotations

from collections.abc import Mapping

#: Phrases of one language by name.
Words = Mapping[str, str]

PHRASES: Mapping[str, Words] = {
    "en": {
        "seed": "Seed {}.",
        "save": "save the game in a file, to resume it another day",
        "save where": "Where? Write save FILE.",
        "saved": "Saved in {}: tefuda play {} --resume {} resumes it.",
        "holds": "{} holds the game; --resume {} resumes it",
        "not saved": "Not saved: {}",
        "nothing saved": "nothing is saved",
        "cancelled": "Cancelled.",
        "hint": "what the coach would do",
        "worth": ", worth {}",
        "unknown": "what it is worth is not known",
        "good": "as good as any",
        "costs": "that costs {}",
        "a decision": "1 decision",
        "decisions": "{} decisions",
        "no mistake": "no mistake",
        "a mistake": "1 mistake that cost {}",
        "mistakes": "{} mistakes that cost {}",
        "of unknown": "; of {} it is not known",
        "lesson": "{}, {}{}.",
        "verdict": "{}: {}.",
        "command": "{}: {}.",
        "preparing": "making the agents",
        "compiling": "compiling the loops this needs (once; up to a minute)",
        "compiling always": "compiling the loops this needs (every time: no folder for them can be written; name one: "
        "TEFUDA_CACHE)",
    },
    "ja": {
        "seed": "乱数の種 {}。",
        "save": "ファイルに保存し、あとで続けられるようにする",
        "save where": "save ファイル名 と書いてください。",
        "saved": "{}に保存しました。tefuda play {} --resume {} で続けられます。",
        "holds": "{}に保存されています。--resume {} で続けられます",
        "not saved": "保存できません: {}",
        "nothing saved": "保存されていません",
        "cancelled": "取り消しました。",
        "hint": "コーチならどうするか",
        "worth": "、期待値{}",
        "unknown": "価値は分かりません",
        "good": "最善と同じ",
        "costs": "損は{}",
        "a decision": "決定1回",
        "decisions": "決定{}回",
        "no mistake": "誤りなし",
        "a mistake": "誤り1回、損{}",
        "mistakes": "誤り{}回、損{}",
        "of unknown": "、うち{}回は不明",
        "lesson": "{}、{}{}。",
        "verdict": "{}: {}。",
        "command": "{}: {}。",
        "preparing": "相手を準備しています",
        "compiling": "計算部分をコンパイルしています（初回のみ、最長一分ほど）",
        "compiling always": "計算部分をコンパイルしています（保存できるフォルダがないため毎回。TEFUDA_CACHE で指定できます）",
    },
}
