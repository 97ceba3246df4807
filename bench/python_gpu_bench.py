#!/usr/bin/env python3
"""vfilter in Python on batches of pictures on a GPU, beside a copy of the same bytes and torchvision: python
bench/python_gpu_bench.py [--seconds S]

RGB, uint8, NHWC, results into given memory. Microseconds of the GPU, medians: each call is recorded as a CUDA graph of many, on
several sets of pictures that together are larger than the cache, so that the host's share and the cache are left out; the column
"call" is the host's time of one call. torchvision filters NCHW, which it is given. Needs torch; torchvision may be missing.
"""

import argparse
import statistics
import time

import torch

import vfilter

try:
    from torchvision.transforms import functional
except ImportError:
    functional = None

SETS_BYTES = 400 << 20


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
    """Name, ours, torchvision's."""
    for size in (5, 15, 31):
        yield (f"gaussian {size}", lambda x, out, size=size: vfilter.gaussian(x, size, out=out),
               lambda x, size=size: functional.gaussian_blur(x, size))
    for size in (5, 15, 31):
        yield f"box {size}", lambda x, out, size=size: vfilter.box(x, size, out=out), None
    yield "sharpen 5", lambda x, out: vfilter.sharpen(x, 0.8, size=5, out=out), None
    yield "sobel", lambda x, out: vfilter.sobel(x, out=out), None
    yield "median 3", lambda x, out: vfilter.median(x, 3, out=out), None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0.2, help="for each figure")
    seconds = parser.parse_args().seconds
    print(f"{torch.cuda.get_device_name()}, vfilter {vfilter.__version__}, torch {torch.__version__}")
    print(f"{'pictures':>16} {'filter':>12} {'us':>8} {'copies':>7} {'call':>7} {'torchvision':>12} {'times':>6}")
    for shape in ((32, 512, 512, 3), (8, 1080, 1920, 3), (1, 1080, 1920, 3), (1, 512, 512, 3)):
        size = torch.Size(shape).numel()
        count = min(max(SETS_BYTES // (2 * size), 2), 64)
        pairs = [(torch.randint(0, 256, shape, dtype=torch.uint8, device="cuda"),
                  torch.empty(shape, dtype=torch.uint8, device="cuda")) for _ in range(count)]
        copy = median_us(graph_of([lambda x=x, out=out: out.copy_(x) for x, out in pairs]), count, seconds)
        name = "x".join(map(str, shape))
        print(f"{name:>16} {'copy':>12} {copy:8.1f}")
        for label, ours, theirs in filters():
            own = median_us(graph_of([lambda x=x, out=out: ours(x, out) for x, out in pairs]), count, seconds)
            call = host_us(lambda: ours(*pairs[0]))
            line = f"{name:>16} {label:>12} {own:8.1f} {own / copy:7.2f} {call:7.1f}"
            if theirs and functional:
                planes = [x.permute(0, 3, 1, 2).contiguous() for x, _ in pairs[:4]]
                other = median_us(graph_of([lambda x=x: theirs(x) for x in planes]), len(planes), seconds)
                line += f" {other:12.1f} {other / own:6.1f}"
            print(line, flush=True)


if __name__ == "__main__":
    main()
