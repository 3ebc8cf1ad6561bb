"""Parts of one large kernel, written into it before it is compiled, so that they cost nothing on their own.

A part that is `jit.inlined` is compiled by itself too, which takes long where it gets many arrays: walks
over hands took 64 seconds to compile instead of 9. It stands here because the compiled code of every kernel depends on
jit.py.
"""

from __future__ import annotations

from tefuda._kernels.jit import _with

woven = _with(inline="always", _nrt=False)
