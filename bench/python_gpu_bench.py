#!/usr/bin/env python3
"""vfilter in Python on batches of pictures on a GPU, beside a copy of the same bytes and torchvision: python
bench/python_gpu_bench.py [--seconds S]

RGB, uint8, NHWC, results into given memory. Microseconds of the GPU, medians: each call is recorded as a CUDA graph of many, on
several sets of pictures that together are larger than the cache, so that the host's share and the cache are left out; the column
"call" is the host's time of one call. torchvision filters NCHW, which it is given; NPP, with the same taps, a picture at a time.
Needs torch; torchvision and CUDA's NPP may be missing.
"""

import argparse
import ctypes
import math
import statistics
import time

import torch

import vfilter

try:
    from torchvision.transforms import functional
except ImportError:
    functional = None

SETS_BYTES = 400 << 20


class Pair(ctypes.Structure):  # NppiSize, NppiPoint
    _fields_ = [("first", ctypes.c_int), ("second", ctypes.c_int)]


class NppContext(ctypes.Structure):
    _fields_ = [("stream", ctypes.c_void_p), ("numbers", ctypes.c_int * 4), ("shared", ctypes.c_size_t),
                ("capability", ctypes.c_int * 2), ("flags", ctypes.c_uint), ("reserved", ctypes.c_int)]


def npp_gaussian(size):
    """A function like those of filters(), or None."""
    for name in ("libnppif.so.13", "libnppif.so.12", "libnppif.so"):
        try:
            function = ctypes.CDLL(name).nppiFilterGaussAdvancedBorder_8u_C3R_Ctx
            break
        except (OSError, AttributeError):
            continue
    else:
        return None
    sigma = 0.3 * ((size - 1) / 2 - 1) + 0.8
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


def median_us(graph, count, seconds):
    times = []
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or len(times) < 5:
        begin, done = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        graph.replay()
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
    """Name, ours, torchvision's, NPP's."""
    for size in (5, 15, 31):
        yield (f"gaussian {size}", lambda x, out, size=size: vfilter.gaussian(x, size, out=out),
               lambda x, size=size: functional.gaussian_blur(x, size), npp_gaussian(size))
    for size in (5, 15, 31):
        yield f"box {size}", lambda x, out, size=size: vfilter.box(x, size, out=out), None, None
    yield "sharpen 5", lambda x, out: vfilter.sharpen(x, 0.8, size=5, out=out), None, None
    yield "sobel", lambda x, out: vfilter.sobel(x, out=out), None, None
    yield "median 3", lambda x, out: vfilter.median(x, 3, out=out), None, None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.2, help="for each figure")
    seconds = parser.parse_args().seconds
    print(f"{torch.cuda.get_device_name()}, vfilter {vfilter.__version__}, torch {torch.__version__}")
    print(f"{'pictures':>16} {'filter':>12} {'us':>8} {'copies':>7} {'call':>7} {'torchvision':>12} {'times':>6} {'NPP':>8} {'times':>6}")
    for shape in ((32, 512, 512, 3), (8, 1080, 1920, 3), (1, 1080, 1920, 3), (1, 512, 512, 3)):
        size = torch.Size(shape).numel()
        count = min(max(SETS_BYTES // (2 * size), 2), 64)
        pairs = [(torch.randint(0, 256, shape, dtype=torch.uint8, device="cuda"),
                  torch.empty(shape, dtype=torch.uint8, device="cuda")) for _ in range(count)]
        copy = median_us(graph_of([lambda x=x, out=out: out.copy_(x) for x, out in pairs]), count, seconds)
        name = "x".join(map(str, shape))
        print(f"{name:>16} {'copy':>12} {copy:8.1f}")
        for label, ours, theirs, npp in filters():
            own = median_us(graph_of([lambda x=x, out=out: ours(x, out) for x, out in pairs]), count, seconds)
            call = host_us(lambda: ours(*pairs[0]))
            line = f"{name:>16} {label:>12} {own:8.1f} {own / copy:7.2f} {call:7.1f}"
            if theirs and functional:
                planes = [x.permute(0, 3, 1, 2).contiguous() for x, _ in pairs[:4]]
                other = median_us(graph_of([lambda x=x: theirs(x) for x in planes]), len(planes), seconds)
                line += f" {other:12.1f} {other / own:6.1f}"
            elif npp:
                line += " " * 20
            if npp:
                other = median_us(graph_of([lambda x=x, out=out: npp(x, out) for x, out in pairs[:4]]), len(pairs[:4]), seconds)
                line += f" {other:8.1f} {other / own:6.1f}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
