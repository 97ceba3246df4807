"""Arrays on NVIDIA GPUs: where they are, on which stream their libraries work, and what a result is made of."""

import contextlib
import math
import sys

from . import _vfilter

GPU_KINDS = (2, 13)  # DLPack's kDLCUDA and kDLCUDAManaged
LEGACY_STREAM = 1  # as the protocols write what CUDA's functions take as 0


class DeviceArray:
    """An array on a GPU, with __cuda_array_interface__ and DLPack: what filters make of arrays whose library has no way
    to take one, such as numba's. It is there once `stream` has come so far."""

    def __init__(self, shape, bits, device, stream):
        self.shape = tuple(shape)
        self.device = device
        self.stream = stream
        self._bits = bits
        self._address, self._memory = _vfilter.device_allocate(math.prod(shape) * bits // 8, device, stream)

    def __dlpack_device__(self):
        return 2, self.device

    def __dlpack__(self, *, stream=None, **_):
        stream = LEGACY_STREAM if stream is None else stream
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
    if isinstance(stream, int):
        return stream
    protocol = getattr(stream, "__cuda_stream__", None)
    if protocol is not None:
        return (protocol() if callable(protocol) else protocol)[1]
    for name in ("cuda_stream", "ptr"):  # torch, cupy
        number = getattr(stream, name, None)
        if isinstance(number, int):
            return number
    raise TypeError(f"a {type(stream).__name__} is no stream: a number, or what has __cuda_stream__, cuda_stream or ptr")


def packages_of(x):
    """Whose array it is, also where its class is somebody's that is derived of theirs."""
    return {of.__module__.partition(".")[0] for of in type(x).__mro__}


def library_of(x):
    """The module of arrays that says on which stream it works."""
    packages = packages_of(x)
    return next((sys.modules.get(name) for name in ("torch", "cupy") if name in packages), None)


def device_of(x):
    """The number of the GPU that it is on, or None."""
    if hasattr(x, "__dlpack_device__"):
        kind, number = x.__dlpack_device__()
        return int(number) if int(kind) in GPU_KINDS else None
    interface = getattr(x, "__cuda_array_interface__", None)
    if interface is None:
        return None
    number = _vfilter.device_of(interface["data"][0])
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


def view(x, device, stream, current):
    """What nanobind takes, ready for work that is queued on `stream`; what is on no GPU as it is."""
    if hasattr(x, "__dlpack_device__") and int(x.__dlpack_device__()[0]) not in GPU_KINDS:
        return x
    if hasattr(x, "__dlpack__"):
        return x.__dlpack__(stream=-1 if stream == current and library_of(x) else stream or LEGACY_STREAM)
    interface = getattr(x, "__cuda_array_interface__", None)
    if interface is None:
        return x
    bits = {"u1": 8, "u2": 16}.get(interface["typestr"][1:])
    if bits is None:
        raise TypeError(f"samples are neither uint8 nor uint16, but {interface['typestr']}")
    earlier = interface.get("stream")
    if earlier is not None and earlier != (stream or LEGACY_STREAM):
        _vfilter.stream_follow(device, stream, earlier)
    strides = interface.get("strides") or ()
    return _vfilter.device_view(interface["data"][0], interface["shape"],
                                [stride * 8 // bits for stride in strides], bits, device, x)


def working_on(library, device, stream, current):
    """Arrays of the library belong to `stream` meanwhile."""
    if stream == current:
        return contextlib.nullcontext()
    if library.__name__ == "torch":
        return library.cuda.stream(library.cuda.ExternalStream(stream, device))
    return library.cuda.ExternalStream(stream, device)


def empty_like(x, library, device, stream, current):
    if library is None:
        interface = getattr(x, "__cuda_array_interface__", None)
        shape, size = (interface["shape"], int(interface["typestr"][2:])) if interface else (x.shape, x.dtype.itemsize)
        return DeviceArray(shape, 8 * size, device, stream)
    with working_on(library, device, stream, current):
        if library.__name__ == "torch":
            return library.empty_like(x)
        with library.cuda.Device(device):
            return library.empty_like(x)


def on_device(x, out, mask, given):
    """For _vfilter: views of x, of the result and of the mask, the stream's number, and what makes what is returned."""
    device = device_of(x)
    if device is None:
        raise TypeError("stream is for pictures on a GPU" if given is not None else "the picture is on no NVIDIA GPU")
    library = library_of(x)
    current = current_stream(library, device)
    stream = current if given is None else stream_number(given)
    source = view(x, device, stream, current)
    result = empty_like(x, library, device, stream, current) if out is None else out
    target = view(result, device, stream, current)
    if out is not None and not hasattr(out, "__dlpack__"):
        if getattr(out, "__cuda_array_interface__", {"data": (0, False)})["data"][1]:
            raise TypeError("out is no array that can be written")
    weights = None if mask is None else view(mask, device, stream, current)
    if library is not None and library.__name__ == "torch" and stream != current:
        x.record_stream(library.cuda.ExternalStream(stream, device))

    def finish():
        # Who says nothing of streams may use or free his arrays at once.
        if library is None and given is None:
            _vfilter.stream_wait(device, stream)
        if out is None and library is None and hasattr(x, "__array_namespace__"):
            return x.__array_namespace__().from_dlpack(result)
        return result

    return source, target, weights, stream, finish
