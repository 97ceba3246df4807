"""The Python module's filters, against the program and by themselves. VFILTER_BINARY is the program, without which what needs
it is left out."""

import os
import subprocess
import tempfile
import unittest

import numpy as np

import vfilter
from pictures import example, picture

PROGRAM = os.environ.get("VFILTER_BINARY", "")


class Filters(unittest.TestCase):
    @unittest.skipUnless(PROGRAM, "VFILTER_BINARY is not set")
    def test_every_filter_has_the_programs_bytes(self):
        x = picture(48, 64, 3)
        with tempfile.TemporaryDirectory() as folder:
            source, made = f"{folder}/in.ppm", f"{folder}/out.ppm"
            with open(source, "wb") as file:
                file.write(b"P6 64 48 255\n" + x.tobytes())
            for name, row in vfilter._functions.FILTERS.items():
                text, arguments = example(row)
                option = f"{name}={text}".rstrip("=")
                subprocess.run([PROGRAM, source, made, "-y", "--device", "cpu", "--filters", option], check=True,
                               stderr=subprocess.DEVNULL)
                with open(made, "rb") as file:
                    expected = np.frombuffer(file.read()[-x.size:], np.uint8).reshape(x.shape)
                np.testing.assert_array_equal(getattr(vfilter, name)(x, **arguments), expected, name)

    def test_layouts_and_types_agree(self):
        for dtype in (np.uint8, np.uint16):
            x = picture(2, 20, 30, 3, dtype=dtype)
            expected = vfilter.gaussian(x, 5)
            self.assertEqual(expected.dtype, dtype)
            for n in range(2):
                np.testing.assert_array_equal(vfilter.gaussian(x[n], 5), expected[n])
                for c in range(3):
                    gray = np.ascontiguousarray(x[n, :, :, c])
                    np.testing.assert_array_equal(vfilter.gaussian(gray, 5), expected[n, :, :, c])
            planes = np.ascontiguousarray(x.transpose(0, 3, 1, 2))
            np.testing.assert_array_equal(vfilter.gaussian(planes, 5, layout="NCHW"), expected.transpose(0, 3, 1, 2))
            np.testing.assert_array_equal(vfilter.gaussian(x[:, ::-1], 5)[:, ::-1], expected)
            np.testing.assert_array_equal(vfilter.gaussian(x[..., ::-1], 5)[..., ::-1], expected)
            part = vfilter.gaussian(x[0, 3:17, 5:25], 5)
            np.testing.assert_array_equal(part, vfilter.gaussian(x[0, 3:17, 5:25].copy(), 5))
        np.testing.assert_array_equal(vfilter.sobel(picture(9, 1)), vfilter.sobel(picture(9, 1, 1))[..., 0])

    def test_a_batch_is_a_video(self):
        x = picture(7, 20, 30, 3)
        seen = np.stack([x[[1, *range(6)]], x, x[[*range(1, 7), 5]]])  # mirrored at the ends
        np.testing.assert_array_equal(vfilter.tmedian(x, 1), np.median(seen, 0).astype(np.uint8))
        planes = np.ascontiguousarray(x.transpose(0, 3, 1, 2))
        np.testing.assert_array_equal(vfilter.tmedian(planes, 1, layout="NCHW"), vfilter.tmedian(x, 1).transpose(0, 3, 1, 2))
        np.testing.assert_array_equal(vfilter.tmedian(x[3], 1), x[3])
        np.testing.assert_array_equal(
            vfilter.chain(["gaussian=5", "taverage=2:limit=60"])(x), vfilter.taverage(vfilter.gaussian(x, 5), 2, limit=60))
        dark = x // 16
        self.assertFalse(np.array_equal(vfilter.nlmeans(dark, 9, frames=1), vfilter.nlmeans(dark, 9)))
        a_part = vfilter.tmedian(x[1:6], 1)
        np.testing.assert_array_equal(a_part[1:-1], vfilter.tmedian(x, 1)[2:5])

    def test_regions_and_masks(self):
        x = picture(40, 50, 3)
        made = vfilter.gaussian(x, 9)
        mask = np.zeros((40, 50), np.uint8)
        mask[5:25, 10:30] = 255
        expected = np.where(mask[..., None] > 0, made, x)
        np.testing.assert_array_equal(vfilter.gaussian(x, 9, mask=mask), expected)
        np.testing.assert_array_equal(vfilter.gaussian(x, 9, region=(10, 5, 20, 20)), expected)
        np.testing.assert_array_equal(vfilter.gaussian(x, 9, region=[(10, 5, 20, 20)]), expected)
        np.testing.assert_array_equal(vfilter.gaussian(x, 9, region="20%,12.5%,40%,50%"), expected)
        self.assertFalse(np.array_equal(vfilter.gaussian(x, 9, border="wrap"), made))

    def test_colours_know_their_channels(self):
        red = vfilter.fill(picture(4, 4, 3), "red")
        self.assertEqual(red[0, 0].tolist(), [255, 0, 0])
        self.assertEqual(vfilter.fill(picture(4, 4, 3), "red", channels="BGR")[0, 0].tolist(), [0, 0, 255])
        x = picture(9, 9, 4)
        np.testing.assert_array_equal(vfilter.sobel(x)[..., 3], x[..., 3])  # transparency is left alone

    def test_rgb_has_no_chroma(self):
        x = picture(4, 4, 3)
        with self.assertRaisesRegex(ValueError, "identity: RGB pictures have no chroma"):
            vfilter.identity(x, chroma="neutral")
        self.assertEqual(vfilter.identity(x, chroma="neutral", channels="YUV")[..., 1:].tolist(), [[[128, 128]] * 4] * 4)

    def test_chains(self):
        x = picture(30, 40, 3)
        soft = vfilter.chain(["gaussian=5:border=wrap", ("sharpen", {"amount": 0.8}), "sobel"])
        expected = vfilter.sobel(vfilter.sharpen(vfilter.gaussian(x, 5, border="wrap"), 0.8))
        np.testing.assert_array_equal(soft(x), expected)
        out = np.empty_like(x)
        self.assertIs(soft(x, out), out)

    def test_a_chain_takes_what_functions_take(self):
        x = picture(20, 30)
        region = np.array([[0, 0, 5, 5], [6, 6, 3, 3]])
        made = vfilter.chain([("gaussian", {"size": 5, "region": region, "invert": False, "feather": 0})])(x)
        np.testing.assert_array_equal(made, vfilter.gaussian(x, 5, region=region.tolist()))
        np.testing.assert_array_equal(vfilter.gaussian(x, 5, invert=False, feather=0), vfilter.gaussian(x, 5))

    def test_depths(self):
        x = picture(20, 20, dtype=np.uint16) >> 6
        made = vfilter.laplacian(x, depth=10)
        self.assertLessEqual(made.max(), 1023)
        with self.assertRaises(ValueError):
            vfilter.laplacian(x, depth=8)

    def test_other_kinds_of_arrays(self):
        x = picture(6, 8, 3)
        expected = vfilter.box(x, 3)
        for kind in (np.memmap, type("Kind", (np.ndarray,), {})):
            self.assertIsInstance(vfilter.box(x.view(kind), 3), kind)
        view = vfilter.box(memoryview(bytearray(x.tobytes())).cast("B", (6, 8, 3)), 3)
        self.assertIsInstance(view, memoryview)
        np.testing.assert_array_equal(np.asarray(view), expected)
        try:
            import array_api_strict
        except ImportError:
            return
        made = vfilter.box(array_api_strict.asarray(x), 3)
        self.assertIs(type(made), type(array_api_strict.asarray(x)))
        np.testing.assert_array_equal(np.from_dlpack(made), expected)


if __name__ == "__main__":
    unittest.main()
