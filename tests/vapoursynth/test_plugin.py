"""The plugin in a real VapourSynth, against the program: tests/vapoursynth/run.sh."""

import ctypes
import os
import subprocess
import tempfile
import unittest

import vapoursynth as vs

core = vs.core
core.std.LoadPlugin(os.environ["VFILTER_PLUGIN"])
PROGRAM = os.environ["VFILTER_BINARY"]
WIDTH, HEIGHT, COUNT = 96, 64, 8
FORMATS = {"yuv420p": vs.YUV420P8, "yuv422p10le": vs.YUV422P10, "yuv444p16le": vs.YUV444P16, "gray": vs.GRAY8}
FILTERS = {  # the function's arguments, and the program's
    "Gaussian": ({"size": 5}, "gaussian=5"),
    "Box": ({"size": 7, "border": "wrap"}, "box=7:border=wrap"),
    "Sharpen": ({"amount": 0.8, "threshold": 3}, "sharpen=0.8:threshold=3"),
    "Sobel": ({}, "sobel"),
    "Nlmeans": ({"sigma": 4, "frames": 1, "search": 5}, "nlmeans=4:frames=1:search=5"),
    "Tmedian": ({"frames": 2}, "tmedian=2"),
    "Taverage": ({"frames": 2, "after": 1, "limit": 40}, "taverage=2:after=1:limit=40"),
    "Median": ({"size": 5, "region": "25%,25%,50%,50%"}, "median=5:region=25%,25%,50%,50%"),
    "Kernel": ({"matrix": "0 -1 0; -1 5 -1; 0 -1 0"}, "kernel=0 -1 0; -1 5 -1; 0 -1 0"),
    "Fill": ({"colour": "#204080"}, "fill=#204080"),
}


def frame_bytes(frame):
    """Its planes, row by row without gaps."""
    made = b""
    for plane in range(frame.format.num_planes):
        made += bytes(memoryview(frame[plane]).tobytes())
    return made


def clip_of(data, kind):
    """A clip of raw frames."""
    blank = core.std.BlankClip(width=WIDTH, height=HEIGHT, format=kind, length=COUNT, keep=False)
    size = len(data) // COUNT

    def fill(n, f):
        made = f.copy()
        at = n * size
        for plane in range(made.format.num_planes):
            stride = made.get_stride(plane)
            view = made[plane]
            rows, bytes_of_row = view.shape[0], view.shape[1] * made.format.bytes_per_sample
            pointer = made.get_write_ptr(plane).value
            for y in range(rows):
                ctypes.memmove(pointer + y * stride, data[at:at + bytes_of_row], bytes_of_row)
                at += bytes_of_row
        return made

    return core.std.ModifyFrame(blank, blank, fill)


def run(*command):
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)


class Plugin(unittest.TestCase):
    def test_the_programs_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            for pixels, kind in FORMATS.items():
                source, made = f"{folder}/in.nut", f"{folder}/out.nut"
                raw = f"{folder}/raw"
                run("ffmpeg", "-y", "-f", "lavfi", "-i", f"testsrc2=s={WIDTH}x{HEIGHT}:r=25:d={COUNT / 25},noise=alls=30:all_seed=1",
                    "-pix_fmt", pixels, "-c:v", "rawvideo", source)
                run("ffmpeg", "-y", "-i", source, "-f", "rawvideo", raw)
                with open(raw, "rb") as file:
                    clip = clip_of(file.read(), kind)
                if pixels == "gray":  # of which files that do not say are of full range, and clips are not
                    clip = core.std.SetFrameProps(clip, _ColorRange=0)
                for name, (arguments, option) in FILTERS.items():
                    run(PROGRAM, source, made, "-y", "--codec", "rawvideo", "--device", "cpu", "--filters", option)
                    run("ffmpeg", "-y", "-i", made, "-f", "rawvideo", "-pix_fmt", pixels, raw)
                    with open(raw, "rb") as file:
                        expected = file.read()
                    filtered = getattr(core.vfilter, name)(clip, **arguments)
                    self.assertEqual(b"".join(frame_bytes(f) for f in filtered.frames()), expected, f"{name} {pixels}")

    def test_every_filter_is_there(self):
        names = {function.name for function in core.vfilter.functions()}
        self.assertLessEqual({"Gaussian", "Box", "Motion", "Sharpen", "Scharr", "Denoise", "Pixelate", "Tmedian", "Taverage", "Identity"}, names)

    def test_fields_are_filtered_apart(self):
        def stripes(n, f):
            made = f.copy()
            for y in range(16):
                ctypes.memset(made.get_write_ptr(0).value + y * made.get_stride(0), 200 * (y % 2), 16)
            return made

        blank = core.std.BlankClip(width=16, height=16, format=vs.GRAY8, length=1, keep=False)
        woven = core.std.ModifyFrame(blank, blank, stripes).std.SetFrameProps(_FieldBased=2)
        self.assertEqual(frame_bytes(woven.vfilter.Gaussian(5).get_frame(0)), frame_bytes(woven.get_frame(0)))
        with self.assertRaisesRegex(vs.Error, "SeparateFields"):
            woven.vfilter.Gaussian(5, region="0,0,4,4").get_frame(0)

    def test_colours_need_a_matrix_that_is_known(self):
        clip = core.std.BlankClip(width=16, height=16, format=vs.YUV444P8, length=1)
        for matrix in (8, 11, 12, 14):
            tagged = clip.std.SetFrameProps(_Matrix=matrix)
            with self.assertRaisesRegex(vs.Error, f"vfilter: fill: what its colour is in frames whose _Matrix is {matrix} is not known"):
                tagged.vfilter.Fill("#204080", region="0,0,4,4").get_frame(0)
            self.assertEqual(tagged.vfilter.Gaussian(5).get_frame(0).width, 16)
            self.assertEqual(tagged.vfilter.Fill("black").get_frame(0)[1][0, 0], 128)
            if matrix != 11:
                self.assertEqual(tagged.vfilter.Fill("white").get_frame(0)[0][0, 0], 235)
        for matrix in (1, 2, 3, 9):
            self.assertEqual(clip.std.SetFrameProps(_Matrix=matrix).vfilter.Fill("#204080").get_frame(0).width, 16)

    def test_the_script_in_the_document_runs(self):
        with open(os.path.join(os.path.dirname(__file__), "../../docs/vapoursynth.md")) as file:
            exec(file.read().split("```python\n")[1].split("```")[0], {})
        self.assertEqual(vs.get_output(0).clip.get_frame(24).width, 640)

    def test_mistakes(self):
        clip = core.std.BlankClip(width=16, height=16, format=vs.GRAY8, length=1)
        with self.assertRaisesRegex(vs.Error, "vfilter: gaussian: size 4 is even"):
            clip.vfilter.Gaussian(4)
        with self.assertRaisesRegex(vs.Error, "vfilter: gaussian: border cannot hold a ':'"):
            clip.vfilter.Gaussian(5, border="wrap:chroma=off")
        with self.assertRaisesRegex(vs.Error, "integer format of 8 to 16 bits"):
            core.std.BlankClip(width=16, height=16, format=vs.GRAYS, length=1).vfilter.Gaussian(5)


if __name__ == "__main__":
    unittest.main()
