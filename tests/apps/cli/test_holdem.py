"""Texas hold'em on the command line."""

import pytest

from tests.apps.conftest import last_json


def test_equities(tefuda):
    found = last_json(tefuda("holdem", "equity", "AA", "KK", "--json"))
    assert found["equity"] == pytest.approx([0.81946050, 0.18053950], abs=1e-8) and found["total"] == 61_642_944
    options = ("AsKs", "QhQd", "--board", "Js Ts 2c")
    assert "56.0606 %" in tefuda("holdem", "equity", *options).stdout
    drawn = last_json(tefuda("holdem", "equity", *options, "--samples", "1e2", "--seed", 1, "--json"))
    assert abs(drawn["equity"][0] - 37 / 66) < 2 * drawn["half_width"] and 0 < drawn["total"] <= 100
    refused = tefuda("holdem", "equity", "AA", "KK,KX", code=2)
    assert refused.stderr.splitlines()[-2:] == ["  KK,KX", "     ^^"]


def test_ranges(tefuda):
    shown = tefuda("holdem", "range", "22+,A2s+,KQo:0.5,AsKh").stdout
    assert "133 hands, 10.03 % of all: 22+,A2s+,AsKh,KQo:0.5" in shown and " 50% " in shown and " 8% " in shown
    found = last_json(tefuda("holdem", "range", "KQo:0.5,AsKh", "--json"))
    assert found["hands"] == 7 and found["classes"]["KQo"] == 0.5 and found["classes"]["AKs"] == 0
