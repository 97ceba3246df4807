"""vfilter's filters for pictures in memory: `vfilter.gaussian(x, 5)`, and a function for each of the others.

Pictures are arrays of uint8 or uint16 in host memory or on an NVIDIA GPU, with the buffer protocol, DLPack or
__cuda_array_interface__: numpy, torch, cupy, jax, memoryview. The result is of the same kind, with the program's bytes.
docs/python.md has more.
"""

from . import _interpreter  # before the module of C++, whose loading would do the harm
from . import _devices, _functions, _vfilter
from ._functions import chain
from ._devices import DeviceArray
from ._vfilter import Operation, __version__

_vfilter.set_empty_like(_functions.empty_like)
_vfilter.set_on_device(_devices.on_device)


def set_threads(threads: int) -> None:
    """How many threads a call may take: 1, the caller's alone, unless this says otherwise; 0 is one for each processor."""
    _vfilter.set_threads(threads)
    _functions.forget_operations()


for _row in _functions.FILTERS.values():
    globals()[_row["name"]] = _functions.make(_row)

__all__ = ["DeviceArray", "Operation", "chain", "set_threads", *_functions.FILTERS]
