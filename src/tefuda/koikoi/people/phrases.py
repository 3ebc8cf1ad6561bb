"""The phrases of Koi-Koi in English and Japanese; their texts are in phrases.toml."""

from functools import partial
from pathlib import Path

from tefuda.games import phrases as reader

#: See `games.phrases.phrases`; the parts are the tables of the file.
phrases = partial(reader.phrases, path=Path(__file__).with_name("phrases.toml"))
