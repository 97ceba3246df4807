#!/usr/bin/env python3
"""vfilter in Python on batches of pictures on a GPU, beside a copy of the same bytes, CV-CUDA, torchvision, kornia and NPP:
python bench/python_gpu_bench.py [--seconds S]

RGB, uint8, NHWC, results into given memory. Microseconds of the GPU, medians: each call is recorded as a CUDA graph of many, on
several sets of pictures that together are larger than the cache, so that the host's share and the cache are left out; the column
"call" is the host's time of one call. CV-CUDA's and kornia's calls cannot all be recorded: they are queued one after the other
between two events, which of short ones shows the host's time. torchvision filters NCHW, kornia NCHW of float32, which they are given, conversions not
counted; NPP, with the same taps, a picture at a time. In brackets: how many times as long as vfilter. Needs torch; the others may
be missing.
"""

import argparse
import ctypes
import math
import statistics
import sys
import time

import torch

import vfilter

try:
    from torchvision.transforms import functional
except ImportError:
    functional = None
try:
    import cvcuda
except ImportError:
    cvcuda = None
try:
    import kornia
except ImportError:
    kornia = None

SETS_BYTES = 400 << 20


class Pair(ctypes.Structure):  # NppiSize, NppiPoint
    _fields_ = [("first", ctypes.c_int), ("second", ctypes.c_int)]


class NppContext(ctypes.Structure):
    _fields_ = [("stream", ctypes.c_void_p), ("numbers", ctypes.c_int * 4), ("shared", ctypes.c_size_t),
                ("capability", ctypes.c_int * 2), ("flags", ctypes.c_uint), ("reserved", ctypes.c_int)]


def sigma_of(size):
    return 0.3 * ((size - 1) / 2 - 1) + 0.8


def npp_gaussian(size):
    """run(x, out), or None."""
    for name in ("libnppif.so.13", "libnppif.so.12", "libnppif.so"):
        try:
            function = ctypes.CDLL(name).nppiFilterGaussAdvancedBorder_8u_C3R_Ctx
            break
        except (OSError, AttributeError):
            continue
    else:
        return None
    sigma = sigma_of(size)
    taps = torch.tensor([math.exp(-((i - size // 2) ** 2) / (2 * sigma * sigma)) for i in range(size)], device="cuda")
    taps /= taps.sum()
    device = torch.cuda.get_device_properties(0)
    own = NppContext(numbers=(0, device.multi_processor_count, device.max_threads_per_multi_processor, 1024),
                     shared=getattr(device, "shared_memory_per_block", 48 << 10), capability=(device.major, device.minor))

    def run(x, out):
        own.stream = torch.cuda.current_stream().cuda_stream
        count, height, width, _ = x.shape
        area, pitch, replicate = Pair(width, height), 3 * width, 2
        for n in range(count):
            status = function(ctypes.c_void_p(x[n].data_ptr()), pitch, area, Pair(0, 0), ctypes.c_void_p(out[n].data_ptr()),
                              pitch, area, size, ctypes.c_void_p(taps.data_ptr()), replicate, own)
            assert status == 0, status

    return run


def graph_of(calls):
    """All calls, recorded."""
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        for call in calls:
            call()
        graph = torch.cuda.CUDAGraph()
        graph.capture_begin()
        for call in calls:
            call()
        graph.capture_end()
    torch.cuda.synchronize()
    return graph


def median_us(replay, count, seconds):
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        begin, done = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        replay()
        done.record()
        done.synchronize()
        times.append(begin.elapsed_time(done) * 1e3 / count)
    return statistics.median(times)


def host_us(call):
    times = []
    for _ in range(200):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
        torch.cuda.synchronize()
    return statistics.median(times) * 1e6


def filters():
    """Name, ours, and what others call it: CV-CUDA's of tensors, torchvision's and kornia's of planes, NPP's."""
    for size in (5, 15, 31):
        sigma = sigma_of(size)
        yield (f"gaussian {size}", lambda x, out, size=size: vfilter.gaussian(x, size, out=out), {
            "CV-CUDA": lambda x, out, size=size, sigma=sigma, **on: cvcuda.gaussian_into(
                out, x, (size, size), (sigma, sigma), cvcuda.Border.REFLECT101, **on),
            "torchvision": lambda x, size=size: functional.gaussian_blur(x, size),
            "kornia": lambda x, size=size, sigma=sigma: kornia.filters.gaussian_blur2d(x, (size, size), (sigma, sigma)),
            "NPP": npp_gaussian(size)})
    for size in (5, 15, 31):
        yield (f"box {size}", lambda x, out, size=size: vfilter.box(x, size, out=out), {
            "CV-CUDA": lambda x, out, size=size, **on: cvcuda.averageblur_into(
                out, x, (size, size), border=cvcuda.Border.REFLECT101, **on),
            "kornia": lambda x, size=size: kornia.filters.box_blur(x, (size, size), separable=True)})
    yield "sharpen 5", lambda x, out: vfilter.sharpen(x, 0.8, size=5, out=out), {
        "kornia": lambda x: kornia.filters.unsharp_mask(x, (5, 5), (1.1, 1.1))}
    yield "sobel", lambda x, out: vfilter.sobel(x, out=out), {"kornia": lambda x: kornia.filters.sobel(x)}
    for size in (3, 7):
        yield f"median {size}", lambda x, out, size=size: vfilter.median(x, size, out=out), {
            "CV-CUDA": lambda x, out, size=size, **on: cvcuda.median_blur_into(out, x, (size, size), **on),
            "kornia": lambda x, size=size: kornia.filters.median_blur(x, (size, size))}


PEERS = {"CV-CUDA": cvcuda, "torchvision": functional, "kornia": kornia, "NPP": True}


def peer_us(name, filter_, pairs, seconds):
    """Microseconds, or None where it cannot do that, with its reason on stderr."""
    pairs = pairs[:4]  # it is slow enough to leave the cache
    if name == "NPP":
        return median_us(graph_of([lambda x=x, out=out: filter_(x, out) for x, out in pairs]).replay, len(pairs), seconds)
    if name == "CV-CUDA":
        stream = cvcuda.as_stream(torch.cuda.current_stream())
        tensors = [(cvcuda.as_tensor(x, "NHWC"), cvcuda.as_tensor(out, "NHWC")) for x, out in pairs]

        def replay():
            for x, out in tensors:
                filter_(x, out, stream=stream)

        replay()
        return median_us(replay, len(tensors), seconds)
    planes = [x.permute(0, 3, 1, 2).contiguous() for x, _ in pairs]
    if name == "kornia":
        planes = [x.float() / 255 for x in planes]
        filter_(planes[0])
        return median_us(lambda: [filter_(x) for x in planes], len(planes), seconds)
    return median_us(graph_of([lambda x=x: filter_(x) for x in planes]).replay, len(planes), seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.2, help="for each figure")
    seconds = parser.parse_args().seconds
    peers = [name for name, there in PEERS.items() if there]
    print(f"{torch.cuda.get_device_name()}, vfilter {vfilter.__version__}, torch {torch.__version__}"
          + "".join(f", {name} {library.__version__}" for name, library in PEERS.items() if hasattr(library, "__version__")))
    print(f"{'pictures':>16} {'filter':>12} {'us':>8} {'copies':>7} {'call':>7}" + "".join(f" {name:>17}" for name in peers))
    for shape in ((32, 512, 512, 3), (8, 1080, 1920, 3), (1, 1080, 1920, 3), (1, 512, 512, 3)):
        size = torch.Size(shape).numel()
        count = min(max(SETS_BYTES // (2 * size), 2), 64)
        pairs = [(torch.randint(0, 256, shape, dtype=torch.uint8, device="cuda"),
                  torch.empty(shape, dtype=torch.uint8, device="cuda")) for _ in range(count)]
        copy = median_us(graph_of([lambda x=x, out=out: out.copy_(x) for x, out in pairs]).replay, count, seconds)
        name = "x".join(map(str, shape))
        print(f"{name:>16} {'copy':>12} {copy:8.1f}")
        for label, ours, others in filters():
            own = median_us(graph_of([lambda x=x, out=out: ours(x, out) for x, out in pairs]).replay, count, seconds)
            call = host_us(lambda: ours(*pairs[0]))
            line = f"{name:>16} {label:>12} {own:8.1f} {own / copy:7.2f} {call:7.1f}"
            for peer in peers:
                other = None
                if others.get(peer):
                    try:
                        other = peer_us(peer, others[peer], pairs, seconds)
                    except Exception as error:  # what it refuses is its own: a size, a type
                        print(f"{peer}, {label}: {type(error).__name__}: {str(error).splitlines()[0]}", file=sys.stderr)
                line += " " + (f"{other:9.1f} ({other / own:.1f})" if other else "-").rjust(17)
            print(line, flush=True)


if __name__ == "__main__":
    main()
