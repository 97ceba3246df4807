"""Arrays on NVIDIA GPUs: where they are, on which stream their libraries work, and what a result is made of."""

import contextlib
import math
import numbers
import sys

from . import _vfilter

GPU_KINDS = (2, 13)  # DLPack's kDLCUDA and kDLCUDAManaged
LEGACY_STREAM = 1  # as the protocols write what CUDA's functions take as 0


class DeviceArray:
    """An array on a GPU, with __cuda_array_interface__ and DLPack: what filters make of arrays whose library has no way
    to take one, such as numba's. It is there once `stream` has come so far."""

    def __init__(self, shape, bits, device, stream):
        self.shape = tuple(shape) if hasattr(shape, "__iter__") else (None,)
        if not all(is_number(side) and side >= 0 for side in self.shape):
            raise TypeError("a DeviceArray's shape is a tuple of whole numbers")
        if bits not in (8, 16):
            raise ValueError("a DeviceArray's samples have 8 or 16 bits")
        if not is_number(device) or not 0 <= device < 1 << 31:
            raise TypeError("a DeviceArray's device is a GPU's number, 0 or more")
        self.device = device
        self.stream = stream_number(stream)
        self._bits = bits
        size = math.prod(map(int, self.shape)) * bits // 8
        if size >= 1 << 63:
            raise MemoryError("there is not enough memory")
        self._address, self._memory = _vfilter.device_allocate(size, device, self.stream)

    def __dlpack_device__(self):
        return 2, self.device

    def __dlpack__(self, *, stream=None, **_):
        stream = LEGACY_STREAM if stream is None else -1 if is_number(stream) and stream == -1 else stream_number(stream)
        if stream not in (-1, self.stream or LEGACY_STREAM):
            _vfilter.stream_follow(self.device, stream, self.stream)
        return _vfilter.device_view(self._address, self.shape, (), self._bits, self.device, self)

    @property
    def __cuda_array_interface__(self):
        order = "|" if self._bits == 8 else "<" if sys.byteorder == "little" else ">"
        return {"shape": self.shape, "typestr": f"{order}u{self._bits // 8}", "data": (self._address, False),
                "strides": None, "version": 3, "stream": self.stream or LEGACY_STREAM}


def stream_number(stream):
    """A stream as CUDA's functions take it."""
    number = stream
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        pair = protocol() if callable(protocol) else protocol
        number = pair[1] if isinstance(pair, (tuple, list)) and len(pair) == 2 else None
    elif not is_number(stream):
        numbers = (getattr(stream, name, None) for name in ("cuda_stream", "ptr"))  # torch, cupy
        number = next(filter(is_number, numbers), None)
    if not is_number(number):
        raise TypeError(f"a {type(stream).__name__} is no stream: a number, or what has __cuda_stream__, cuda_stream or ptr")
    if not 0 <= number < 1 << 64:
        raise ValueError(f"stream={number} is no stream's number, which is 0 or more")
    return int(number)


def is_number(value):
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def packages_of(x):
    """Whose array it is, also where its class is somebody's that is derived of theirs."""
    return {of.__module__.partition(".")[0] for of in type(x).__mro__}


def library_of(x):
    """The module of arrays that says on which stream it works."""
    packages = packages_of(x)
    return next((sys.modules.get(name) for name in ("torch", "cupy") if name in packages), None)


class Interface:
    """What __cuda_array_interface__ says of samples that filters can take; TypeError and ValueError of others."""

    def __init__(self, given):
        self.check_parts(given)
        self.shape = tuple(map(int, given["shape"]))
        self.address, self.read_only = int(given["data"][0]), bool(given["data"][1])
        self.stream = given.get("stream")
        typestr = given["typestr"]
        self.bits = {"u1": 8, "u2": 16}.get(typestr[1:])
        if self.bits is None:
            raise TypeError(f"samples are neither uint8 nor uint16, but {typestr[:40]}")
        if self.bits == 16 and typestr[0] != "<>"[sys.byteorder == "big"] and typestr[0] != "=":
            raise TypeError(f"samples are {typestr}, which is not this machine's order of bytes")
        if given.get("mask") is not None:
            raise TypeError("the array's __cuda_array_interface__ has a mask of its own; a filter's mask is mask=")
        strides = given.get("strides")
        if any(stride * 8 % self.bits for stride in strides or ()):
            raise ValueError(f"strides of {tuple(strides)} bytes are no multiples of a sample")
        self.strides = [stride * 8 // self.bits for stride in strides or ()]  # in samples

    @staticmethod
    def check_parts(given):
        def are_numbers(row):
            return isinstance(row, (tuple, list)) and all(map(is_number, row))

        try:
            shape, data, strides, stream = given["shape"], given["data"], given.get("strides"), given.get("stream")
            whole = (are_numbers(shape) and min(shape, default=0) >= 0 and isinstance(given["typestr"], str)
                     and isinstance(data, (tuple, list)) and len(data) == 2 and is_number(data[0])
                     and 0 <= data[0] < 1 << 64 and (stream is None or is_number(stream) and 0 <= stream < 1 << 64)
                     and (strides is None or are_numbers(strides) and len(strides) == len(shape)))
        except (TypeError, KeyError, AttributeError):
            whole = False
        if not whole:
            raise TypeError("a __cuda_array_interface__ is a dictionary with shape, typestr and data as its document has them")


def interface_of(x):
    """Checked; None of what has none."""
    given = getattr(x, "__cuda_array_interface__", None)
    return None if given is None else Interface(given)


def dlpack_device(x):
    """DLPack's kind of memory and the device's number."""
    try:
        kind, number = map(int, x.__dlpack_device__())
    except (TypeError, ValueError):
        raise TypeError(f"the __dlpack_device__ of a {type(x).__name__} is no pair of numbers") from None
    return kind, number


def device_of(x):
    """The number of the GPU that it is on, or None."""
    if hasattr(x, "__dlpack_device__"):
        kind, number = dlpack_device(x)
        return number if kind in GPU_KINDS else None
    interface = interface_of(x)
    if interface is None:
        return None
    number = _vfilter.device_of(interface.address)
    if number < 0:
        raise TypeError("the picture has a __cuda_array_interface__, and its memory is no GPU's that this vfilter can use")
    return number


def current_stream(library, device):
    """The one on which arrays of that library are made and used."""
    if library is None:
        return 0
    if library.__name__ == "torch":
        return library.cuda.current_stream(device).cuda_stream
    with library.cuda.Device(device):
        return library.cuda.get_current_stream().ptr


def view(x, device, stream):
    """What nanobind takes, ready for work that is queued on `stream`; what is on no GPU as it is."""
    if hasattr(x, "__dlpack_device__") and dlpack_device(x)[0] not in GPU_KINDS:
        return x
    if hasattr(x, "__dlpack__"):
        own = library_of(x)
        ready = own is not None and current_stream(own, device) == stream
        return x.__dlpack__(stream=-1 if ready else stream or LEGACY_STREAM)
    interface = interface_of(x)
    if interface is None:
        return x
    if interface.stream is not None and interface.stream != (stream or LEGACY_STREAM):
        _vfilter.stream_follow(device, stream, interface.stream)
    return _vfilter.device_view(interface.address, interface.shape, interface.strides, interface.bits, device, x)


def working_on(library, device, stream, current):
    """Arrays of the library belong to `stream` meanwhile."""
    if stream == current:
        return contextlib.nullcontext()
    if library.__name__ == "torch":
        return library.cuda.stream(library.cuda.ExternalStream(stream, device))
    return library.cuda.ExternalStream(stream, device)


def empty_like(x, library, device, stream, current):
    if library is None:
        interface = interface_of(x)
        if interface is not None:
            return DeviceArray(interface.shape, interface.bits, device, stream)
        size = getattr(getattr(x, "dtype", None), "itemsize", None)
        if size not in (1, 2) or not hasattr(x, "shape"):
            raise TypeError(f"nobody knows how to make a new {type(x).__name__}: give an array to out=")
        return DeviceArray(x.shape, 8 * size, device, stream)
    with working_on(library, device, stream, current):
        if library.__name__ == "torch":
            return library.empty_like(x)
        with library.cuda.Device(device):
            return library.empty_like(x)


def keep_until(stream, device, arrays):
    """Memory of torch's arrays is not lent again before `stream` has come so far."""
    for x in arrays:
        library = library_of(x)
        if library is not None and library.__name__ == "torch" and x.is_cuda and stream != current_stream(library, device):
            x.record_stream(library.cuda.ExternalStream(stream, device))


def on_device(x, out, mask, given):
    """For _vfilter: views of x, of the result and of the mask, the stream's number, and what makes what is returned."""
    device = device_of(x)
    if device is None:
        raise TypeError("stream is for pictures on a GPU" if given is not None else "the picture is on no NVIDIA GPU")
    library = library_of(x)
    current = current_stream(library, device)
    stream = current if given is None else stream_number(given)
    source = view(x, device, stream)
    result = empty_like(x, library, device, stream, current) if out is None else out
    target = view(result, device, stream)
    if out is not None and not hasattr(out, "__dlpack__"):
        interface = interface_of(out)
        if interface is not None and interface.read_only:
            raise TypeError("out is no array that can be written")
    weights = None if mask is None else view(mask, device, stream)
    keep_until(stream, device, [x, out, mask])

    def finish():
        # Who says nothing of streams may use or free his arrays at once.
        if library is None and given is None:
            _vfilter.stream_wait(device, stream)
        if out is None and library is None and hasattr(x, "__array_namespace__"):
            return x.__array_namespace__().from_dlpack(result)
        return result

    return source, target, weights, stream, finish
