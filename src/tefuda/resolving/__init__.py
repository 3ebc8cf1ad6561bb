"""Safe re-solving of subgames during play, and depth-limited solving."""

from tefuda.lazy import public_names

#: Public names by the module that defines them.
_HOMES = {
    "agent": "ResolvingAgent",
    "gadgets": "CFRDGadget Gadget MaxMargin Unsafe",
    "limited.continuations": "Continuations",
    "limited.depth_limited": "DepthLimited DepthLimitedAgent",
    "limited.leaves": "ExactLeaves ExactValues ValuedLeaves",
    "limited.network": "ValueNetwork",
    "limited.samples": "ValueTraining",
    "limited.training": "train_values",
    "resolution": "Resolution",
}

__all__, __getattr__, __dir__ = public_names(__name__, _HOMES)
