# Written by `python -m tests.stub` from _HOMES in __init__.py.

from tefuda.forms.form import REPRESENTATIONS as REPRESENTATIONS
from tefuda.forms.form import Saved as Saved
from tefuda.forms.partitions import partition as partition
from tefuda.forms.rules_simulator import RulesSimulator as RulesSimulator
from tefuda.forms.sequence import SequenceForm as SequenceForm
from tefuda.forms.sequence import sequence_form as sequence_form
from tefuda.forms.simulate import TreeSimulator as TreeSimulator

__all__ = ["REPRESENTATIONS", "RulesSimulator", "Saved", "SequenceForm", "TreeSimulator", "partition", "sequence_form"]
