"""The drawn cards: one symbol each, whole references, and 48 pictures that differ on a phone."""

import os
import subprocess
import xml.etree.ElementTree as ElementTree
from itertools import combinations

import numpy as np
import pytest

from tefuda.koikoi.cards import DECK
from tefuda.koikoi.people.card_faces import BACK, card_names, card_sprite
from tests.browsers import BROWSER, INSTALL

SVG = "{http://www.w3.org/2000/svg}"
MOST_BYTES = 80_000
WIDE, TALL = 44, 72  # pixels of a card on a small phone
LEAST_DISTANCE = 25  # grey levels of 255, root mean square; measured: 34, the chaff of pampas
TOP = 13  # pixels of the band with month and mark, which is left out


def test_every_card_and_every_reference_is_there():
    drawing = ElementTree.fromstring(card_sprite())
    names = [element.get("id") for element in drawing.iter() if element.get("id")]
    assert len(names) == len(set(names)) and {card.code for card in DECK} | {BACK} <= set(names)
    assert {use.get("href")[1:] for use in drawing.iter(f"{SVG}use")} <= set(names)
    months = [symbol.find(f"{SVG}text") for symbol in drawing.iter(f"{SVG}symbol")]
    assert [int(month.text) for month in months if month is not None] == [card.month for card in DECK]
    assert len(card_sprite().encode()) < MOST_BYTES


@pytest.mark.skipif(BROWSER is None, reason=f"no browser: {INSTALL}")
def test_pictures_differ_in_grey_on_a_phone(tmp_path):
    """Without month and mark, no two of the 48 pictures look the same at 44 pixels in grey."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    places = [f'x="{WIDE * (number % 12)}" y="{TALL * (number // 12)}"' for number in range(len(DECK))]
    card_size = f'width="{WIDE}" height="{TALL}"'
    cards = "".join(f'<use href="#{card.code}" {place} {card_size}/>' for card, place in zip(DECK, places, strict=True))
    size = f'width="{12 * WIDE}" height="{4 * TALL}"'
    sheet, picture = tmp_path / "sheet.svg", tmp_path / "sheet.png"
    sheet.write_text(card_sprite().replace("<svg ", f"<svg {size} ", 1).removesuffix("</svg>") + f"{cards}</svg>")
    options = ["--headless", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"]
    options += ["--no-sandbox"] * (os.geteuid() == 0) + [f"--window-size={12 * WIDE},{4 * TALL}"]
    subprocess.run([BROWSER, *options, f"--screenshot={picture}", sheet.as_uri()], check=True, capture_output=True)
    grey = 255 * pyplot.imread(picture)[..., :3].mean(-1)
    assert grey.shape == (4 * TALL, 12 * WIDE)
    pictures = grey.reshape(4, TALL, 12, WIDE).transpose(0, 2, 1, 3).reshape(48, TALL, WIDE)[:, TOP:]
    distances = {
        (DECK[a].code, DECK[b].code): float(np.sqrt(((pictures[a] - pictures[b]) ** 2).mean()))
        for a, b in combinations(range(48), 2)
    }
    assert min(distances.values()) > LEAST_DISTANCE


def test_names_of_all_cards():
    names = card_names()
    assert len(names) == len(DECK) and names["hanafuda.8B"] == {"en": "8B pampas with moon", "ja": "8B 芒に月"}
