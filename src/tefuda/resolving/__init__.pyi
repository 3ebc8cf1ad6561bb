# Written by `python -m tests.stub` from _HOMES in __init__.py.

from tefuda.resolving.agent import ResolvingAgent as ResolvingAgent
from tefuda.resolving.gadgets import CFRDGadget as CFRDGadget
from tefuda.resolving.gadgets import Gadget as Gadget
from tefuda.resolving.gadgets import MaxMargin as MaxMargin
from tefuda.resolving.gadgets import Unsafe as Unsafe
from tefuda.resolving.limited.continuations import Continuations as Continuations
from tefuda.resolving.limited.depth_limited import DepthLimited as DepthLimited
from tefuda.resolving.limited.depth_limited import DepthLimitedAgent as DepthLimitedAgent
from tefuda.resolving.limited.leaves import ExactLeaves as ExactLeaves
from tefuda.resolving.limited.leaves import ExactValues as ExactValues
from tefuda.resolving.limited.leaves import ValuedLeaves as ValuedLeaves
from tefuda.resolving.limited.network import ValueNetwork as ValueNetwork
from tefuda.resolving.limited.samples import ValueTraining as ValueTraining
from tefuda.resolving.limited.training import train_values as train_values
from tefuda.resolving.resolution import Resolution as Resolution

__all__ = ["CFRDGadget", "Continuations", "DepthLimited", "DepthLimitedAgent", "ExactLeaves", "ExactValues", "Gadget", "MaxMargin", "Resolution", "ResolvingAgent", "Unsafe", "ValueNetwork", "ValueTraining", "ValuedLeaves", "train_values"]
