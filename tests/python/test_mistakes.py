"""What the Python module says of what it cannot take: one sentence, which names the filter or the argument."""

import copy
import unittest
import warnings

import numpy as np

import vfilter
from pictures import picture


class Exported:
    """An array of somebody's who has DLPack alone, and gives the same capsule out each time, if he keeps one."""

    def __init__(self, array, keep=False):
        self.array = array
        self.capsule = array.__dlpack__() if keep else None

    def __dlpack__(self, **_):
        return self.capsule or self.array.__dlpack__(max_version=(1, 0))

    def __dlpack_device__(self):
        return 1, 0


class Mistakes(unittest.TestCase):
    def refused(self, error, sentence, call):
        with self.subTest(sentence):
            with self.assertRaises(error) as caught:
                call()
            text = str(caught.exception)
            self.assertRegex(text, "^" + sentence)
            self.assertNotIn("\n", text)
            self.assertLess(len(text), 300)

    def test_a_capsule_is_taken_once(self):
        x = picture(48, 64, 3)
        out = np.empty_like(x)
        for kept in (Exported(x, keep=True), x.__dlpack__()):
            vfilter.gaussian(kept, 5, out=out)
            np.testing.assert_array_equal(out, vfilter.gaussian(x, 5))
            self.refused(ValueError, "the picture gives a DLPack capsule that has been used already",
                         lambda: vfilter.gaussian(kept, 5, out=out))
        kept = Exported(out, keep=True)
        vfilter.gaussian(x, 5, out=kept)
        self.refused(ValueError, "out gives a DLPack capsule that has been used already", lambda: vfilter.gaussian(x, 5, out=kept))
        fresh = Exported(x)
        for _ in range(3):
            vfilter.gaussian(fresh, 5, out=out)

    def test_arrays_by_dlpack(self):
        x = picture(6, 8)
        fixed = x.copy()
        fixed.flags.writeable = False
        self.refused(TypeError, "out is read-only$", lambda: vfilter.gaussian(x, 5, out=Exported(fixed)))
        self.refused(TypeError, "out is read-only$", lambda: vfilter.gaussian(x, 5, out=fixed))
        np.testing.assert_array_equal(vfilter.gaussian(Exported(fixed), 5, out=x.copy()), vfilter.gaussian(x, 5))

        class Broken(Exported):
            def __dlpack__(self, **_):
                raise RuntimeError("this array gives nothing away")

        class Strange(Exported):
            def __dlpack__(self, **_):
                return 5

        self.refused(RuntimeError, "this array gives nothing away", lambda: vfilter.gaussian(Broken(x), 5, out=x.copy()))
        self.refused(TypeError, "the picture is no array", lambda: vfilter.gaussian(Strange(x), 5, out=x.copy()))
        self.refused(TypeError, "the picture's samples are neither", lambda: vfilter.gaussian(Exported(x.astype(float)), 5, out=x.copy()))

    def test_samples_that_are_not_aligned(self):
        memory = np.zeros(2 * 6 * 8 + 1, np.uint8)
        odd = memory[1:].view(np.uint16).reshape(6, 8)
        even = odd.copy()
        self.refused(ValueError, "the picture begins at an address .*; a copy of it does not", lambda: vfilter.gaussian(odd, 5))
        self.refused(ValueError, "out begins at an address .*; take another array", lambda: vfilter.gaussian(even, 5, out=odd))
        np.testing.assert_array_equal(vfilter.gaussian(odd.copy(), 5), vfilter.gaussian(even, 5))

    def test_rows_behind_pointers(self):
        try:
            from _testbuffer import ND_PIL, ndarray
        except ImportError:
            self.skipTest("this Python has no _testbuffer")
        rows = ndarray(list(range(48)), shape=[6, 8], format="B", flags=ND_PIL)
        self.refused(TypeError, "the picture has rows that lie by themselves", lambda: vfilter.gaussian(rows, 5, out=picture(6, 8)))

    def test_numbers_that_are_none(self):
        x = picture(10, 12, 3)
        several = np.array([1, 2])
        for error, sentence, call in (
            (TypeError, "gaussian: size is an odd whole number, and no ndarray", lambda: vfilter.gaussian(x, np.array([5, 7]))),
            (TypeError, "gaussian: size is an odd whole number, and no object", lambda: vfilter.gaussian(x, object())),
            (TypeError, "gaussian: feather is a whole number, and no ndarray",
             lambda: vfilter.gaussian(x, 5, region=(0, 0, 4, 4), feather=several)),
            (ValueError, "gaussian: invert, feather and outside are of a region", lambda: vfilter.gaussian(x, 5, mask=x[..., 0].copy(), feather=several)),
            (ValueError, "gaussian: size is a number, and no bool", lambda: vfilter.gaussian(x, True)),
            (ValueError, "kernel: a number is larger than any", lambda: vfilter.kernel(x, [[10**400]])),
            (TypeError, "kernel: matrix: a object is no number", lambda: vfilter.kernel(x, [[object()]])),
            (TypeError, "kernel: a matrix is a list of rows", lambda: vfilter.kernel(x, [1, 2, 3])),
            (TypeError, "gaussian: a region is x, y, w and h", lambda: vfilter.gaussian(x, 5, region=5)),
            (ValueError, r"gaussian: sigma=1e\+300 is out of range", lambda: vfilter.gaussian(x, sigma=1e300)),
            (ValueError, "gaussian: sigma=10*... is out of range", lambda: vfilter.gaussian(x, sigma="1" + "0" * 300)),
            (ValueError, "sobel: a magnitude is rounded before its bias is added", lambda: vfilter.sobel(x, scale=0.25, bias=0.5)),
            (ValueError, "sobel: a magnitude is rounded before its bias is added", lambda: vfilter.sobel(x, bias=0.3)),
            (TypeError, "gaussian: sigma is a number, and no complex64", lambda: vfilter.gaussian(x, sigma=np.complex64(2 + 3j))),
            (TypeError, "gaussian: sigma is a number, and no ndarray", lambda: vfilter.gaussian(x, sigma=np.array(2 + 3j))),
            (TypeError, "kernel: matrix: a complex128 is no number", lambda: vfilter.kernel(x, np.ones((3, 3), complex))),
        ):
            self.refused(error, sentence, call)
        np.testing.assert_array_equal(vfilter.gaussian(x, sigma=2.0), vfilter.gaussian(x, sigma=2))

    def test_what_was_typed_is_shortened(self):
        x = picture(10, 12, 3)
        for error, sentence, call in (
            (ValueError, "layout is HW.*not 'HHH*...'$", lambda: vfilter.gaussian(x, 5, layout="H" * 5000)),
            (ValueError, "layout is HW.*not 'H.W'$", lambda: vfilter.gaussian(x, 5, layout="H\nW")),
            (ValueError, "channels='é' names 1 channels, and there are 3$", lambda: vfilter.gaussian(x, 5, channels="é")),
            (ValueError, "channels='RRR*...' names 5000 channels", lambda: vfilter.gaussian(x, 5, channels="R" * 5000)),
            (ValueError, "there is no filter 'a.aaa*...'$", lambda: vfilter.chain([("a\n" + "a" * 5000, {})])),
            (TypeError, r"gaussian\(\) has no argument 'aaa*...'$", lambda: vfilter.chain([("gaussian", {"a" * 5000: 1})])),
        ):
            self.refused(error, sentence, call)

    def test_what_some_pictures_allow(self):
        x = picture(10, 12, dtype=np.uint16)
        both = vfilter.chain(["sobel=bias=0.5"])
        np.testing.assert_array_equal(both(x), vfilter.sobel(x, bias=0.5))
        self.assertEqual(vfilter.prewitt(x >> 6, bias=0.25, depth=10).shape, x.shape)
        self.refused(ValueError, "sobel: a magnitude is rounded before", lambda: both(picture(10, 12)))
        self.refused(ValueError, "sobel: a magnitude is rounded before", lambda: vfilter.chain(["sobel=bias=0.3"]))
        gray = vfilter.chain(["identity=chroma=neutral"])
        np.testing.assert_array_equal(gray(x), x)

    def test_masked_arrays(self):
        x = picture(10, 12)
        masked = np.ma.masked_array(x, mask=x > 99)
        for name, call in (
            ("the picture", lambda: vfilter.gaussian(masked, 5)),
            ("out", lambda: vfilter.gaussian(x, 5, out=masked)),
            ("mask", lambda: vfilter.gaussian(x, 5, mask=masked)),
        ):
            self.refused(TypeError, name + r" is a masked array: fill it first \(.filled\(\)\)$", call)
        np.testing.assert_array_equal(vfilter.gaussian(masked.filled(0), 5), vfilter.gaussian(np.where(x > 99, 0, x).astype(np.uint8), 5))

    def test_what_arrays_raise_is_not_lost(self):
        x = picture(10, 12)

        class OfArray(np.ndarray):
            def __dlpack__(self, **_):
                raise self.error

        class OfAttribute(Exported):
            @property
            def __cuda_array_interface__(self):
                raise self.error

        for error in (KeyboardInterrupt("pressed"), MemoryError("none"), SystemExit(3)):
            for kind, given in ((OfArray, x.view(OfArray)), (OfAttribute, OfAttribute(x))):
                given.error = error
                with self.subTest(kind=kind, error=error), self.assertRaises(type(error)):
                    vfilter.gaussian(given, 5, out=x.copy())
        given = x.view(OfArray)
        given.error = RuntimeError("not now")  # and so its buffer is taken
        np.testing.assert_array_equal(vfilter.gaussian(given, 5, out=x.copy()), vfilter.gaussian(x, 5))
        given = OfAttribute(x)
        given.error = AttributeError("of others")
        np.testing.assert_array_equal(vfilter.gaussian(given, 5, out=x.copy()), vfilter.gaussian(x, 5))

    def test_operations_that_are_not_made(self):
        class Without(vfilter.Operation):
            def __init__(self):
                pass

        x = picture(10, 12)
        sentence = r"this operation has not been made: an __init__ of its class calls super\(\).__init__\(steps\)$"
        for make in (Without, lambda: vfilter.Operation.__new__(vfilter.Operation)):
            for call in (lambda: make()(x), lambda: make()(), lambda: make().steps, lambda: copy.copy(make())):
                with warnings.catch_warnings():
                    warnings.simplefilter("error")
                    self.refused(TypeError, sentence, call)
        self.refused(TypeError, "a int is no operation$", lambda: vfilter.Operation.__call__(5, x))

    def test_device_arrays(self):
        for error, sentence, arguments in (
            (TypeError, "a NoneType is no stream", ((2, 2), 8, 0, None)),
            (TypeError, "a str is no stream", ((2, 2), 8, 0, "x")),
            (ValueError, "stream=-1 is no stream's number", ((2, 2), 8, 0, -1)),
            (TypeError, "a DeviceArray's device is a GPU's number", ((2, 2), 8, "cuda", 0)),
            (TypeError, "a DeviceArray's device is a GPU's number", ((2, 2), 8, 1 << 40, 0)),
            (ValueError, "a DeviceArray's samples have 8 or 16 bits", ((2, 2), 7, 0, 0)),
            (TypeError, "a DeviceArray's shape is a tuple of whole numbers", (5, 8, 0, 0)),
            (TypeError, "a DeviceArray's shape is a tuple of whole numbers", ((2, None), 8, 0, 0)),
            (MemoryError, "there is not enough memory", ((1 << 40, 1 << 40), 8, 0, 0)),
        ):
            self.refused(error, sentence, lambda: vfilter.DeviceArray(*arguments))

    def test_operations(self):
        x = picture(10, 12, 3)
        soft = vfilter.chain(["gaussian=5"])
        for sentence, call in (
            ("an operation is made of its steps and nothing else", lambda: vfilter.Operation()),
            ("an operation is made of its steps and nothing else", lambda: vfilter.Operation([("gaussian", "5")], 3)),
            ("an operation is made of its steps and nothing else", lambda: vfilter.Operation(stps=[])),
            ("an operation needs a picture$", lambda: soft()),
            ("an operation needs a picture$", lambda: soft(out=x)),
            ("an operation has no argument 'sise'$", lambda: soft(x, sise=3)),
            ("an operation takes a picture, out", lambda: soft(*[x] * 8)),
            ("an operation takes a picture, out", lambda: soft(x, x=x)),
        ):
            self.refused(TypeError, sentence, call)
        np.testing.assert_array_equal(soft(x=x, layout="HWC"), soft(x))

    def test_a_region_of_a_chain(self):
        both = vfilter.chain(["gaussian=5", "fill=red:region=8,20,5,5"])
        self.refused(ValueError, "fill: region='8,20,5,5': lies outside", lambda: both(picture(10, 12, 3)))

    def test_advice_is_taken(self):
        for steps in (["kernel=1 2 1: file=a"], ["gaussian=5:maks=a"], ["gaussian=5:enabel=0-1"]):
            with self.assertRaises(ValueError) as caught:
                vfilter.chain(steps)
            self.assertNotIn("did you mean", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
