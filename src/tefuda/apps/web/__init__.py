"""The web page: play, explore strategies, and watch solving; `tefuda web` serves it on this computer."""
