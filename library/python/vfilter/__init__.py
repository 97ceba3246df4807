"""vfilter's filters for pictures in memory: `vfilter.gaussian(x, 5)`, and a function for each of the others.

Pictures are arrays of uint8 or uint16 in host memory, with the buffer protocol or DLPack: numpy, torch, memoryview. The result
is of the same kind, with the program's bytes. docs/python.md has more.
"""

import atexit as _atexit

from . import _functions, _vfilter
from ._functions import chain
from ._vfilter import Operation, __version__

_vfilter.set_empty_like(_functions.empty_like)
_atexit.register(_vfilter.forget)


def set_threads(threads: int) -> None:
    """How many threads a call may take: 1, the caller's alone, unless this says otherwise; 0 is one for each processor."""
    _vfilter.set_threads(threads)


for _row in _functions.FILTERS.values():
    globals()[_row["name"]] = _functions.make(_row)

__all__ = ["Operation", "chain", "set_threads", *_functions.FILTERS]
