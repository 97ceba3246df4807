"""The Python module on arrays of an NVIDIA GPU: python tests/python/test_devices.py with an installed vfilter. What no library
or GPU is there for is left out; with VFILTER_TEST_NEEDS_GPU set, that there is none of torch's fails."""

import contextlib
import os
import sys
import types
import unittest

import numpy as np

import vfilter
from pictures import picture

try:
    import torch
except ImportError:
    torch = None
try:
    import cupy
except ImportError:
    cupy = None
try:
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    import jax
except ImportError:
    jax = None

HAS_GPU = torch is not None and torch.cuda.is_available()


class ByInterface:
    """An array that says where it is, and nothing else."""

    def __init__(self, tensor, stream=None):
        self.tensor = tensor
        self.__cuda_array_interface__ = {
            "shape": tuple(tensor.shape), "typestr": "|u1", "data": (tensor.data_ptr(), False), "version": 3,
            "strides": tuple(tensor.stride()), "stream": stream}


class WithoutAGpu(unittest.TestCase):
    def refused(self, error, sentence, call):
        with self.subTest(sentence), self.assertRaisesRegex(error, sentence) as caught:
            call()
        self.assertNotIn("\n", str(caught.exception))

    def test_interfaces_that_cannot_be_used_say_why(self):
        def filtered(given):
            class Array:
                __cuda_array_interface__ = given

            return lambda: vfilter.gaussian(Array(), 5)

        good = {"shape": (4, 4), "typestr": "|u1", "data": (1, False), "version": 3}
        other = "<>"[sys.byteorder == "little"]
        for error, sentence, changes in (
            (TypeError, f"samples are {other}u2, which is not this machine's order", {"typestr": other + "u2"}),
            (TypeError, "neither uint8 nor uint16, but <f4", {"typestr": "<f4"}),
            (TypeError, "has a mask of its own; a filter's mask is mask=", {"mask": object()}),
            (ValueError, r"strides of \(9, 2\) bytes are no multiples", {"typestr": "=u2", "strides": (9, 2)}),
        ):
            self.refused(error, sentence, filtered({**good, **changes}))
        for wrong in ({}, 5, {**good, "shape": 4}, {**good, "shape": ("4", 4)}, {**good, "data": 1},
                      {**good, "data": (None, False)}, {**good, "typestr": 1}, {**good, "strides": (4,)},
                      {**good, "stream": "a"}, {**good, "data": (-1, False)}):
            self.refused(TypeError, "is a dictionary with shape, typestr and data", filtered(wrong))

    def test_dlpack_that_cannot_be_used_says_why(self):
        class Strange:
            def __init__(self, place):
                self.place = place

            def __dlpack_device__(self):
                return self.place

            def __dlpack__(self, **_):
                raise BufferError("there is nothing")

        for place in (None, 5, (2,), ("a", "b")):
            self.refused(TypeError, "the __dlpack_device__ of a Strange is no pair of numbers",
                         lambda: vfilter.gaussian(Strange(place), 5))
        self.refused(TypeError, "nobody knows how to make a new Strange: give an array to out=",
                     lambda: vfilter._devices.empty_like(Strange((2, 0)), None, 0, 0, 0))

    def test_streams_are_numbers(self):
        class Stream:
            def __init__(self, pair):
                self.__cuda_stream__ = pair

        number = vfilter._devices.stream_number
        self.assertEqual([number(3), number(Stream((0, 4))), number(Stream(lambda: (0, 5)))], [3, 4, 5])
        for wrong in (-1, 1 << 64, Stream((0, -1))):
            self.refused(ValueError, "is no stream's number, which is 0 or more", lambda: number(wrong))
        for wrong in ("0", True, Stream(()), Stream((0, "a")), None):
            self.refused(TypeError, "is no stream: a number", lambda: number(wrong))

    def test_memory_of_torch_is_kept_for_another_stream(self):
        class Tensor:
            def __init__(self, is_cuda):
                self.is_cuda = is_cuda
                self.kept_for = []

            def record_stream(self, stream):
                self.kept_for.append(stream)

        class Cuda:
            @staticmethod
            def current_stream(_):
                return types.SimpleNamespace(cuda_stream=7)

            @staticmethod
            def ExternalStream(stream, device):
                return stream, device

        Tensor.__module__ = "torch"
        before = sys.modules.get("torch")
        sys.modules["torch"] = types.SimpleNamespace(__name__="torch", cuda=Cuda)
        try:
            arrays = [Tensor(True), Tensor(True), None, Tensor(False)]
            vfilter._devices.keep_until(9, 0, arrays)
            vfilter._devices.keep_until(7, 0, arrays)  # its own
        finally:
            del sys.modules["torch"]
            if before is not None:
                sys.modules["torch"] = before
        self.assertEqual([x and x.kept_for for x in arrays], [[(9, 0)], [(9, 0)], None, []])

    def test_arrays_of_another_library_are_waited_for(self):
        def library(name, number):
            stream = types.SimpleNamespace(cuda_stream=number, ptr=number)
            cuda = types.SimpleNamespace(current_stream=lambda _: stream, get_current_stream=lambda: stream,
                                         Device=lambda _: contextlib.nullcontext())
            return types.SimpleNamespace(__name__=name, cuda=cuda)

        def array(of):
            class Array:
                def __dlpack__(self, stream):
                    return stream

            Array.__module__ = of
            return Array()

        before = {name: sys.modules.get(name) for name in ("torch", "cupy")}
        sys.modules |= {"torch": library("torch", 7), "cupy": library("cupy", 0)}
        try:
            ways = [vfilter._devices.view(array(of), 0, stream) for of, stream in
                    (("torch", 7), ("cupy", 7), ("cupy", 0), ("torch", 0), ("else", 7), ("else", 0))]
        finally:
            for name, module in before.items():
                del sys.modules[name]
                if module is not None:
                    sys.modules[name] = module
        self.assertEqual(ways, [-1, 7, -1, 1, 7, 1])

    def test_memory_of_no_gpu(self):
        class Nowhere:
            __cuda_array_interface__ = {"shape": (4, 4), "typestr": "|u1", "data": (1, False), "version": 3}

        with self.assertRaisesRegex(TypeError, "its memory is no GPU's that this vfilter can use"):
            vfilter.gaussian(Nowhere(), 5)
        with self.assertRaisesRegex(TypeError, "stream is for pictures on a GPU"):
            vfilter.gaussian(picture(4, 4), 5, stream=0)


@unittest.skipUnless(HAS_GPU or os.environ.get("VFILTER_TEST_NEEDS_GPU"), "there is no GPU, or no torch")
class Devices(unittest.TestCase):
    def test_torch(self):
        for shape, layout in (((40, 50), None), ((40, 50, 3), None), ((5, 40, 48, 3), None), ((2, 4, 33, 31), "NCHW")):
            x = picture(*shape)
            expected = vfilter.gaussian(x, 15, layout=layout)
            made = vfilter.gaussian(torch.from_numpy(x).cuda(), 15, layout=layout)
            self.assertTrue(made.is_cuda)
            np.testing.assert_array_equal(made.cpu().numpy(), expected)

    def test_every_filter(self):
        for dtype in (np.uint8, np.uint16):
            x = picture(2, 45, 70, 3, dtype=dtype)
            on_gpu = torch.from_numpy(x).cuda()
            for name, row in vfilter._functions.FILTERS.items():
                arguments = row["example"].strip('"')  # which are a shell's
                filtered = vfilter.chain([f"{name}={arguments}".rstrip("=")])
                np.testing.assert_array_equal(filtered(on_gpu).cpu().numpy(), filtered(x), name)

    def test_a_batch_is_a_video(self):
        for dtype in (np.uint8, np.uint16):
            x = picture(7, 30, 41, 3, dtype=dtype) // 16
            on_gpu = torch.from_numpy(x).cuda()
            for steps in (["tmedian=1"], ["taverage=2:limit=60"], ["nlmeans=9:frames=1:search=5"],
                          ["gaussian=5", "tmedian=2:after=0", "denoise=light:frames=1"]):
                filtered = vfilter.chain(steps)
                expected = filtered(x)
                np.testing.assert_array_equal(filtered(on_gpu).cpu().numpy(), expected, str(steps))
                planes = on_gpu.permute(0, 3, 1, 2).contiguous()
                made = filtered(planes, layout="NCHW")
                np.testing.assert_array_equal(made.permute(0, 2, 3, 1).cpu().numpy(), expected, str(steps))

    def test_views_and_out(self):
        x = picture(2, 40, 50, 3)
        on_gpu = torch.from_numpy(x).cuda()
        out = torch.empty_like(on_gpu)
        self.assertIs(vfilter.median(on_gpu, 3, out=out), out)
        np.testing.assert_array_equal(out.cpu().numpy(), vfilter.median(x, 3))
        part = vfilter.box(on_gpu[:, 3:33, 5:40], 5)
        np.testing.assert_array_equal(part.cpu().numpy(), vfilter.box(np.ascontiguousarray(x[:, 3:33, 5:40]), 5))
        planes = on_gpu.permute(0, 3, 1, 2)
        made = vfilter.box(planes, 5, layout="NCHW")
        np.testing.assert_array_equal(made.permute(0, 2, 3, 1).cpu().numpy(), vfilter.box(x, 5))

    def test_masks(self):
        x, mask = picture(40, 50, 3), picture(40, 50, seed=2)
        made = vfilter.gaussian(torch.from_numpy(x).cuda(), 9, mask=torch.from_numpy(mask).cuda())
        np.testing.assert_array_equal(made.cpu().numpy(), vfilter.gaussian(x, 9, mask=mask))
        with self.assertRaisesRegex(ValueError, "mask in host memory"):
            vfilter.gaussian(torch.from_numpy(x).cuda(), 9, mask=mask)
        with self.assertRaisesRegex(ValueError, "result in host memory"):
            vfilter.gaussian(torch.from_numpy(x).cuda(), 9, out=np.empty_like(x))

    def test_streams(self):
        x = picture(8, 512, 512, 3)
        expected = vfilter.gaussian(x, 5)
        on_gpu = torch.from_numpy(x).cuda()
        stream = torch.cuda.Stream()
        for _ in range(10):
            with torch.cuda.stream(stream):
                torch.cuda._sleep(1_000_000)
                moved = on_gpu.clone()
                made = vfilter.gaussian(moved, 5)  # on torch's own current stream
                copied = made.clone()
            stream.synchronize()
            np.testing.assert_array_equal(copied.cpu().numpy(), expected)
        torch.cuda._sleep(1_000_000)
        moved = on_gpu.clone()
        for given in (stream, stream.cuda_stream):
            made = vfilter.gaussian(moved, 5, stream=given)  # which waits for torch's
            stream.synchronize()
            np.testing.assert_array_equal(made.cpu().numpy(), expected)
        with self.assertRaisesRegex(TypeError, "a str is no stream"):
            vfilter.gaussian(moved, 5, stream="0")

    def test_nothing_waits(self):
        x = torch.from_numpy(picture(64, 64, 3)).cuda()
        soft = vfilter.chain(["gaussian=5", "sobel"])
        out = soft(x)
        torch.cuda.synchronize()
        torch.cuda._sleep(1_000_000_000)  # half a second
        done = torch.cuda.Event()
        soft(x, out)
        done.record()
        self.assertFalse(done.query())
        torch.cuda.synchronize()

    def test_interface_alone(self):
        x = picture(40, 50, 3)
        on_gpu = torch.from_numpy(x).cuda()
        made = vfilter.sobel(ByInterface(on_gpu))
        self.assertIsInstance(made, vfilter.DeviceArray)
        np.testing.assert_array_equal(torch.from_dlpack(made).cpu().numpy(), vfilter.sobel(x))
        np.testing.assert_array_equal(torch.as_tensor(made, device="cuda").cpu().numpy(), vfilter.sobel(x))
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            torch.cuda._sleep(1_000_000)
            late = on_gpu.clone()
        made = vfilter.sobel(ByInterface(late, stream.cuda_stream))
        np.testing.assert_array_equal(torch.from_dlpack(made).cpu().numpy(), vfilter.sobel(x))
        del made
        out = torch.empty_like(on_gpu)
        target = ByInterface(out)
        vfilter.sobel(ByInterface(on_gpu[:, 2:]), out=ByInterface(out[:, 2:]))
        np.testing.assert_array_equal(out[:, 2:].cpu().numpy(), vfilter.sobel(np.ascontiguousarray(x[:, 2:])))
        self.assertIs(vfilter.sobel(ByInterface(on_gpu), out=target), target)
        np.testing.assert_array_equal(out.cpu().numpy(), vfilter.sobel(x))

    @unittest.skipUnless(cupy, "there is no cupy")
    def test_cupy(self):
        for dtype in (np.uint8, np.uint16):
            x = picture(3, 30, 41, 3, dtype=dtype)
            made = vfilter.sharpen(cupy.asarray(x), 0.8)
            self.assertIsInstance(made, cupy.ndarray)
            np.testing.assert_array_equal(made.get(), vfilter.sharpen(x, 0.8))
        stream = cupy.cuda.Stream(non_blocking=True)
        made = vfilter.sharpen(cupy.asarray(x), 0.8, stream=stream)
        stream.synchronize()
        np.testing.assert_array_equal(made.get(), vfilter.sharpen(x, 0.8))

    @unittest.skipUnless(jax, "there is no jax")
    def test_jax(self):
        x = picture(2, 30, 41, 3)
        made = vfilter.gaussian(jax.numpy.asarray(x), 7)
        self.assertIsInstance(made, jax.Array)
        np.testing.assert_array_equal(np.asarray(made), vfilter.gaussian(x, 7))

    def test_no_memory_is_lost(self):
        x = torch.from_numpy(picture(4, 100, 101, 3)).cuda()
        soft = vfilter.chain(["gaussian=5", "median=3", "fill=red:region=0,0,3,3"])

        def free_after(calls):
            for _ in range(calls):
                soft(x)
                vfilter.sobel(ByInterface(x))
            torch.cuda.synchronize()
            return torch.cuda.mem_get_info()[0]

        warm = free_after(50)
        self.assertEqual(free_after(500), warm)


if __name__ == "__main__":
    unittest.main()
