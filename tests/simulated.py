"""Rules and trees as simulators that must agree: the same units, the same luck."""

#: Options of NFSP that fill its memories within a few games.
SMALL = {
    "tables": 16,
    "batch": 16,
    "transitions": 300,
    "behaviour": 100,
    "min_rows": 20,
    "hidden": 16,
    "target_every": 7,
}


class Listed:
    """Rules without a draw of their own, so that chance draws as it does over a tree."""

    def __init__(self, game):
        self._game = game

    def __getattr__(self, name):
        if name == "draw" or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self._game, name)


def labels_of(tree):
    """The labels of a tree's units, in their order."""
    return tuple(dict.fromkeys(label for number in range(tree.infosets) for label in tree.labels(number)))
