#!/usr/bin/env python3
"""vfilter in Python beside OpenCV, albumentations and Pillow, on one core: python bench/python_bench.py [--seconds S]

Milliseconds, medians of calls that take turns, so that what else the machine does meets all alike. RGB, uint8, HWC, results into
memory of the callee's (cv2 and vfilter: given). "-" is where a library has no such filter. Pillow's GaussianBlur is three boxes:
another filter, for orientation. albumentations' are what its transforms call (which is OpenCV), without the making of a transform's
arguments. Needs numpy; opencv-python-headless, albumentations and Pillow may be missing.
"""

import argparse
import statistics
import time

import numpy as np

import vfilter

try:
    import cv2

    cv2.setNumThreads(1)
except ImportError:
    cv2 = None
try:
    import albumentations
    from albumentations.augmentations.blur import functional as albumentations_blur

    albumentations_gaussian = albumentations.GaussianBlur()
except ImportError:
    albumentations = None
try:
    from PIL import Image, ImageFilter
except ImportError:
    Image = None


def cv_sobel(x, _):
    dx = cv2.Sobel(x, cv2.CV_32F, 1, 0)
    return cv2.convertScaleAbs(cv2.magnitude(dx, cv2.Sobel(x, cv2.CV_32F, 0, 1)))


def cv_sharpen(x, out):
    return cv2.addWeighted(x, 1.8, cv2.GaussianBlur(x, (5, 5), 0), -0.8, 0, out)


def gaussian_rows(size):
    sigma = 0.3 * ((size - 1) / 2 - 1) + 0.8
    taps = albumentations_blur.create_gaussian_kernel_1d(sigma, size) if albumentations else None
    return (lambda x, out: vfilter.gaussian(x, size, out=out), lambda x, out: cv2.GaussianBlur(x, (size, size), 0, dst=out),
            lambda x: albumentations_gaussian.apply(x, taps), lambda image: image.filter(ImageFilter.GaussianBlur(sigma)))


def box_rows(size):
    return (lambda x, out: vfilter.box(x, size, out=out), lambda x, out: cv2.blur(x, (size, size), dst=out),
            lambda x: albumentations_blur.box_blur(x, size), lambda image: image.filter(ImageFilter.BoxBlur(size // 2)))


def rows():
    """Name, ours, OpenCV's, albumentations', Pillow's (of an image)."""
    for size in (5, 15, 31):
        yield f"gaussian {size}", *gaussian_rows(size)
    for size in (5, 15, 31):
        yield f"box {size}", *box_rows(size)
    yield ("sharpen 5", lambda x, out: vfilter.sharpen(x, 0.8, size=5, out=out), cv_sharpen, None,
           lambda image: image.filter(ImageFilter.UnsharpMask(1.1, 80, 0)))
    yield "sobel", lambda x, out: vfilter.sobel(x, out=out), cv_sobel, None, None


def measure(calls, seconds):
    """Median seconds of each call that is there."""
    times = [[] for _ in calls]
    for call in calls:
        if call:
            call()
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or any(call and len(own) < 5 for call, own in zip(calls, times)):
        for call, own in zip(calls, times):
            if call:
                begin = time.perf_counter()
                call()
                own.append(time.perf_counter() - begin)
    return [statistics.median(own) if own else None for own in times]


def text(seconds):
    return "-" if seconds is None else f"{seconds * 1e3:.3f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=1.0, help="for each row")
    seconds = parser.parse_args().seconds
    versions = [f"vfilter {vfilter.__version__}", f"cv2 {cv2.__version__}" if cv2 else "no cv2",
                f"albumentations {albumentations.__version__}" if albumentations else "no albumentations",
                f"Pillow {Image.__version__}" if Image else "no Pillow"]
    print(", ".join(versions))
    print(f"{'':24}{'copy':>10}{'vfilter':>10}{'cv2':>10}{'album.':>10}{'Pillow':>10}{'cv2 / vfilter':>15}")
    for height, width in ((512, 512), (1080, 1920)):
        x = np.random.default_rng(1).integers(0, 256, (height, width, 3), np.uint8)
        x = np.ascontiguousarray(vfilter.gaussian(x, 3))
        out, image = np.empty_like(x), Image.fromarray(x) if Image else None
        for name, ours, theirs, albums, pillows in rows():
            copy, own, other, third, fourth = measure([
                lambda: np.copyto(out, x), lambda: ours(x, out), (lambda: theirs(x, out)) if cv2 else None,
                (lambda: albums(x)) if albumentations and albums else None,
                (lambda: pillows(image)) if Image and pillows else None], seconds)
            ratio = f"{other / own:.2f}" if other else "-"
            print(f"{f'{width}x{height} {name}':24}{text(copy):>10}{text(own):>10}{text(other):>10}{text(third):>10}{text(fourth):>10}{ratio:>15}")
    x = np.zeros((64, 64), np.uint8)
    out = np.empty_like(x)
    calls = [lambda: vfilter.identity(x, out=out), lambda: vfilter.gaussian(x, 3, out=out), lambda: np.copyto(out, x)]
    identity, gaussian, copy = measure(calls, seconds)
    print(f"64x64 gray, microseconds: identity {identity * 1e6:.1f}, gaussian 3 {gaussian * 1e6:.1f}, copy {copy * 1e6:.1f}")


if __name__ == "__main__":
    main()
