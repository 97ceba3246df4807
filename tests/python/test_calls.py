"""How the Python module is called: copies, threads, forks, mistakes, memory, signatures, documents."""

import copy
import ctypes
import inspect
import os
import pickle
import signal
import sys
import threading
import tracemalloc
import typing
import unittest

import numpy as np

import vfilter
from pictures import picture
from vfilter import _stubs


class Calls(unittest.TestCase):
    def test_no_copies(self):
        x = picture(1000, 1000, 3)
        out = np.empty_like(x)
        vfilter.gaussian(x, 5, out=out)
        tracemalloc.start()
        self.assertIs(vfilter.gaussian(x, 5, out=out), out)
        self.assertLess(tracemalloc.get_traced_memory()[1], 100_000)
        tracemalloc.reset_peak()
        made = vfilter.gaussian(x, 5)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        self.assertLess(peak, made.nbytes + 100_000)

    def test_releases_the_gil(self):
        x = picture(700, 700, 3)
        counts = []
        done = threading.Event()

        def count():
            n = 0
            while not done.is_set():
                n += 1
            counts.append(n)

        thread = threading.Thread(target=count)
        thread.start()
        try:
            vfilter.nlmeans(x, 4, search=15)
        finally:
            done.set()
            thread.join()
        self.assertGreater(counts[0], 1000)

    def test_signals_end_a_call(self):
        class Alarm(Exception):
            pass

        def raise_alarm(*_):
            raise Alarm

        soft = vfilter.chain(["nlmeans=6", "median=3"])
        x = picture(1000, 256, 256)
        out = np.zeros_like(x)
        before = signal.signal(signal.SIGALRM, raise_alarm)
        for threads in 1, 3:
            vfilter.set_threads(threads)
            with self.assertRaises(Alarm):
                signal.setitimer(signal.ITIMER_REAL, 0.1)
                soft(x, layout="NHW", out=out)
            self.assertFalse(out[-1].any())
        vfilter.set_threads(1)
        # A handler that raises nothing is nothing to a call.
        seen = []
        signal.signal(signal.SIGALRM, lambda *_: seen.append(len(seen)))
        signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
        made = soft(x[:200], layout="NHW")
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        self.assertTrue(seen)
        np.testing.assert_array_equal(made[100], soft(x[100]))

    def test_threads_share_an_operation(self):
        soft = vfilter.chain(["gaussian=9", "sobel"])
        pictures = [picture(60, 50 + seed, 3, seed=seed) for seed in range(8)]
        expected = [soft(x) for x in pictures]
        wrong = []

        def work(i):
            for _ in range(20):
                if not np.array_equal(soft(pictures[i]), expected[i]):
                    wrong.append(i)

        threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_threads_of_its_own(self):
        x = picture(300, 200, 3)
        expected = vfilter.gaussian(x, 15)
        vfilter.set_threads(3)
        np.testing.assert_array_equal(vfilter.gaussian(x, 15), expected)
        vfilter.set_threads(1)

    def test_forks(self):
        x = picture(200, 300, 3)
        expected = vfilter.gaussian(x, 5)

        def in_child(work):
            child = os.fork()
            if child == 0:
                signal.alarm(20)
                try:
                    os._exit(0 if work() else 1)
                finally:
                    os._exit(2)
            self.assertEqual(os.waitpid(child, 0)[1], 0)

        def same():
            return np.array_equal(vfilter.gaussian(x, 5), expected)

        def with_threads(threads):
            def work():
                vfilter.set_threads(threads)
                return same()
            return work

        chain = vfilter.chain(["gaussian=5:region=10%,10%,50%,50%"])
        part = chain(x)
        done = threading.Event()
        busy = [threading.Thread(target=lambda: [same() and chain(x) for _ in iter(done.is_set, True)]) for _ in range(2)]
        try:
            vfilter.set_threads(3)
            self.assertTrue(same())
            for threads in (1, 0, 2):
                in_child(with_threads(threads))
            for thread in busy:
                thread.start()
            for work in [same, with_threads(1), with_threads(0), with_threads(2)] * 5:
                in_child(work)
            in_child(lambda: np.array_equal(chain(x), part))
            vfilter.set_threads(2)
            in_child(same)
        finally:
            done.set()
            for thread in busy:
                thread.join()
            vfilter.set_threads(1)

    def test_values_that_change_are_seen(self):
        class Number:
            value = 1

            def __float__(self):
                return float(self.value)

        number = Number()
        x = picture(20, 30)
        weak = vfilter.gaussian(x, sigma=number)
        number.value = 5
        np.testing.assert_array_equal(vfilter.gaussian(x, sigma=number), vfilter.gaussian(x, sigma=5))
        self.assertFalse(np.array_equal(weak, vfilter.gaussian(x, sigma=number)))
        np.testing.assert_array_equal(vfilter.gaussian(x, np.array(5)), vfilter.gaussian(x, 5))
        with self.assertRaises(ValueError):
            vfilter.gaussian(x, True)

    def test_true_and_false_are_words(self):
        x = picture(9, 9)
        rows = [[0, 1, 0], [1, 2, 1], [0, 1, 0]]
        for given, word in ((True, "yes"), (False, "no")):
            self.assertTrue(np.array_equal(vfilter.kernel(x, rows, normalise=given), vfilter.kernel(x, rows, normalise=word)))
        with self.assertRaisesRegex(ValueError, "size is a number, and no bool"):
            vfilter.gaussian(x, True)

        for word in (False, "off", "0", "no", "false"):
            made = vfilter.box(x, 3, mask=x, invert=word, feather="0")
            np.testing.assert_array_equal(made, vfilter.box(x, 3, mask=x))

    def test_arrays_without_strides(self):
        x = picture(20, 30)
        buffer = ((ctypes.c_uint8 * 30) * 20).from_buffer_copy(x.tobytes())
        np.testing.assert_array_equal(np.asarray(vfilter.box(buffer, 3)), vfilter.box(x, 3))
        vfilter.box(x, 3, out=buffer)
        np.testing.assert_array_equal(np.frombuffer(buffer, np.uint8).reshape(x.shape), vfilter.box(x, 3))

    def test_repeated_samples_are_pictures_too(self):
        x = picture(20, 30, 3)
        for repeated in (np.broadcast_to(x, (4, 20, 30, 3)), np.broadcast_to(x[:1], x.shape)):
            np.testing.assert_array_equal(vfilter.gaussian(repeated, 5), vfilter.gaussian(repeated.copy(), 5))

    def test_results_beside_their_pictures(self):
        batch = picture(4, 20, 32, 3)
        for source, result in [(np.s_[::2], np.s_[1::2]), (np.s_[:, :10], np.s_[:, 10:]), (np.s_[:, 10:], np.s_[:, :10]),
                               (np.s_[:, :, :16], np.s_[:, :, 16:]), (np.s_[:, ::2], np.s_[:, 1::2]),
                               (np.s_[:, ::-2, 16:], np.s_[:, ::-2, :16])]:
            memory = batch.copy()
            vfilter.gaussian(memory[source], 5, out=memory[result])
            np.testing.assert_array_equal(memory[result], vfilter.gaussian(batch[source].copy(), 5))
            np.testing.assert_array_equal(memory[source], batch[source])
        for source, result in [(np.s_[:3], np.s_[1:]), (np.s_[:, :11], np.s_[:, 9:]), (np.s_[:, :, :17], np.s_[:, :, 15:])]:
            memory = batch.copy()
            with self.assertRaisesRegex(ValueError, "share memory"):
                vfilter.gaussian(memory[source], 5, out=memory[result])

    def test_mistakes_are_one_sentence(self):
        x = picture(10, 12, 3)
        cases = [
            (ValueError, "gaussian: size 4 is even", lambda: vfilter.gaussian(x, 4)),
            (ValueError, "border='mirror' is none of", lambda: vfilter.gaussian(x, 5, border="mirror")),
            (TypeError, "neither uint8 nor uint16", lambda: vfilter.gaussian(x.astype(float), 5)),
            (TypeError, "the picture is no array", lambda: vfilter.gaussian("a.png", 5)),
            (TypeError, "unexpected keyword argument 'sise'", lambda: vfilter.gaussian(x, sise=5)),
            (ValueError, "1 dimensions is no picture", lambda: vfilter.gaussian(x.ravel(), 5)),
            (ValueError, "12 channels", lambda: vfilter.gaussian(x.transpose(2, 0, 1), 5)),
            (ValueError, "row's samples do not lie side by side", lambda: vfilter.gaussian(x[:, ::2], 5)),
            (ValueError, "layout is HW", lambda: vfilter.gaussian(x, 5, layout="WH")),
            (ValueError, "out is not of the picture's shape", lambda: vfilter.gaussian(x, 5, out=x[:5].copy())),
            (ValueError, "share memory", lambda: vfilter.gaussian(x, 5, out=x)),
            (ValueError, "mask: it is not of the pictures' size",
             lambda: vfilter.gaussian(x, 5, mask=np.zeros((3, 3), np.uint8))),
            (ValueError, "did you mean 'gaussian'?", lambda: vfilter.chain(["gausian=5"])),
            (ValueError, "share memory", lambda: vfilter.gaussian(x[:6], 5, out=x[4:])),
            (TypeError, "the picture is no array", lambda: vfilter.gaussian(None, 5)),
            (TypeError, "layout is a text, and no int", lambda: vfilter.gaussian(x, 5, layout=3)),
            (TypeError, "depth is a whole number, and no str", lambda: vfilter.gaussian(x, 5, depth="8")),
            (TypeError, "threads is a whole number, and no str", lambda: vfilter.set_threads("3")),
            (ValueError, "threads is a number that is larger", lambda: vfilter.set_threads(2**31)),
            (ValueError, "larger than any", lambda: vfilter.gaussian(x, 10**400)),
            (ValueError, "larger than any", lambda: vfilter.kernel(x, [[10**400]])),
            (ValueError, "at least one filter", lambda: vfilter.chain([])),
            (ValueError, "zero byte", lambda: vfilter.gaussian(x, "5\0x")),
            (ValueError, "need a region", lambda: vfilter.gaussian(x, 5, invert=True)),
            (NotImplementedError, "takes masks in memory", lambda: vfilter.chain(["gaussian=5:mask=a.png"])),
            (TypeError, "threads is a whole number, and no NoneType", lambda: vfilter.set_threads(None)),
            (ValueError, "depth is 8 with uint8", lambda: vfilter.gaussian(x, 5, depth=0)),
            (ValueError, "9 to 16 with uint16", lambda: vfilter.gaussian(x.astype(np.uint16), 5, depth=0)),
            (TypeError, "an operation's steps are a list of pairs of texts", lambda: vfilter.Operation("gaussian")),
            (TypeError, "an operation's steps are a list of pairs of texts", lambda: vfilter.Operation(None)),
            (TypeError, "an operation's steps are a list of pairs of texts", lambda: vfilter.Operation([("gaussian", 5)])),
            (TypeError, "a filter's name is a text, and no list", lambda: vfilter.chain([([], {})])),
            (TypeError, "a filter's name is a text, and no NoneType", lambda: vfilter.chain([(None, "5")])),
            (ValueError, "'a" + "\u00e9" * 39 + "...' in the matrix", lambda: vfilter.kernel(x, "a" + "\u00e9" * 60)),
            (ValueError, "none of light, medium, strong, film, animation", lambda: vfilter.denoise(x, "auto")),
        ]
        for error, sentence, call in cases:
            with self.subTest(sentence), self.assertRaises(error) as caught:
                call()
            self.assertIn(sentence, str(caught.exception))
            self.assertNotIn("\n", str(caught.exception))

    def test_out_has_to_be_writable(self):
        x = picture(4, 4)
        out = np.zeros_like(x)
        out.flags.writeable = False
        with self.assertRaisesRegex(TypeError, "out is read-only"):
            vfilter.box(x, 3, out=out)
        np.testing.assert_array_equal(vfilter.identity(out), out)  # reading one is fine

    def test_arrays_that_cannot_be_used_say_why(self):
        x = picture(6, 8, 3)
        gray, mask = x[:, :, 0].copy(), x[:, :, 1].copy()
        odd = np.frombuffer(bytes(100), np.uint8)[: 6 * 9].reshape(6, 9)
        odd = np.lib.stride_tricks.as_strided(odd.view(np.uint8), (6, 4), (9, 2)).view()
        for error, sentence, call in (
            (TypeError, "format '>H', which are neither", lambda: vfilter.gaussian(x.astype(">u2"), 5)),
            (TypeError, "read-only", lambda: vfilter.gaussian(x, 5, out=memoryview(x.tobytes()).cast("B", x.shape))),
            (ValueError, "side by side.*ascontiguousarray", lambda: vfilter.gaussian(x[:, ::2], 5)),
            (ValueError, "side by side.*ascontiguousarray", lambda: vfilter.gaussian(x[:, :, 0], 5)),
            (ValueError, "side by side.*ascontiguousarray", lambda: vfilter.gaussian(odd, 5)),
            (ValueError, "out.*copy it from there", lambda: vfilter.gaussian(gray, 5, out=x[:, :, 0])),
            (ValueError, "mask and result share memory", lambda: vfilter.gaussian(gray, 5, mask=mask, out=mask)),
            (TypeError, "a region is x, y, w and h", lambda: vfilter.gaussian(x, 5, region=5)),
            (TypeError, "gaussian: size is an odd whole number, and no tuple", lambda: vfilter.gaussian(x, (5, 5))),
            (TypeError, "gaussian: border is one of reflect_101, .*, and no bytes", lambda: vfilter.gaussian(x, 5, border=b"wrap")),
            (ValueError, "gaussian: border has bytes that are no UTF-8", lambda: vfilter.gaussian(x, 5, border="\udc80")),
            (ValueError, "a step of a chain has bytes that are no UTF-8", lambda: vfilter.chain(["gaussian=\udc80"])),
            (ValueError, "a mask says itself", lambda: vfilter.gaussian(x, 5, mask=x[..., 0], feather=4)),
            (ValueError, "a mask says itself", lambda: vfilter.gaussian(x, 5, mask=x[..., 0], invert="on")),
            (TypeError, "a matrix is a list of rows", lambda: vfilter.kernel(x, [1, 2, 3])),
            (TypeError, "a matrix is a list of rows", lambda: vfilter.kernel(x, 5)),
            (TypeError, "a chain is a list of steps, and no int", lambda: vfilter.chain(5)),
            (TypeError, "a chain is a list of steps, and no dict", lambda: vfilter.chain({"gaussian": {"size": 5}})),
            (TypeError, "a step of a chain is", lambda: vfilter.chain([None])),
            (TypeError, "a step of a chain is", lambda: vfilter.chain([("gaussian",)])),
            (TypeError, "arguments of a step are a dictionary", lambda: vfilter.chain([("gaussian", 5)])),
            (ValueError, "border cannot hold a ':'", lambda: vfilter.gaussian(x, 5, border="wrap:chroma=off")),
            (ValueError, "size cannot hold a ':'", lambda: vfilter.gaussian(x, "5:sigma=1")),
        ):
            with self.assertRaisesRegex(error, sentence):
                call()
        gone = memoryview(bytearray(100)).cast("B", (10, 10))
        gone.release()
        with self.assertRaisesRegex(ValueError, "released"):
            vfilter.gaussian(gone, 5)

    def test_operations_can_be_copied(self):
        x = picture(20, 30, 3)
        soft = vfilter.chain(["gaussian=5", ("sharpen", {"amount": 0.8})])
        for other in (vfilter.chain(soft.steps), copy.deepcopy(soft), pickle.loads(pickle.dumps(soft))):
            np.testing.assert_array_equal(other(x), soft(x))
            self.assertEqual(other.steps, soft.steps)

    def test_memory_does_not_grow_with_arguments(self):
        x = picture(1000, 1000, 3)
        out = np.empty_like(x)

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        vfilter.fill(x, "#004080", out=out)
        before = resident()
        for i in range(50):
            vfilter.fill(x, f"#{i:02x}4080", out=out)
        self.assertLess(resident() - before, 20 << 20)  # each needs 2 MB

    def test_memory_of_a_region_is_given_back(self):
        x = np.full((3000, 3000, 3), 7, np.uint8)
        out = np.full_like(x, 1)

        def resident():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        before = resident()
        vfilter.gaussian(x, 5, region="0%,0%,100%,100%", out=out)
        vfilter.set_threads(1)
        ctypes.CDLL(None).malloc_trim(0)
        self.assertLess(resident() - before, 15 << 20)

    def test_a_signal_ends_a_call_for_one_picture(self):
        class Alarm(Exception):
            pass

        def raise_alarm(*_):
            raise Alarm

        x = picture(3000, 3000, 3)
        out = np.zeros_like(x)
        before = signal.signal(signal.SIGALRM, raise_alarm)
        try:
            with self.assertRaises(Alarm):
                signal.setitimer(signal.ITIMER_REAL, 0.1)
                vfilter.nlmeans(x, 20, search=15, out=out)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
        self.assertFalse(out[-1].any())

    def test_works_in_the_main_interpreter_alone(self):
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            self.skipTest("this Python has no _xxsubinterpreters")
        other = interpreters.create()
        try:
            with self.assertRaisesRegex(Exception, "main interpreter alone|does not support loading in subinterpreters"):
                interpreters.run_string(other, f"import sys; sys.path[:] = {sys.path!r}\nimport vfilter")
        finally:
            interpreters.destroy(other)

    def test_signatures_and_help_come_from_the_table(self):
        self.assertIn("size", typing.get_type_hints(vfilter.gaussian))
        parameters = inspect.signature(vfilter.gaussian).parameters
        self.assertEqual(list(parameters)[:3], ["x", "size", "sigma"])
        self.assertEqual(parameters["size"].kind, inspect.Parameter.POSITIONAL_OR_KEYWORD)
        self.assertEqual(parameters["sigma"].kind, inspect.Parameter.KEYWORD_ONLY)
        self.assertIn("int", str(parameters["size"].annotation))
        self.assertIn("reflect_101", vfilter.gaussian.__doc__)
        stubs = _stubs.stubs()
        compile(stubs, "stubs", "exec")
        for name in vfilter._functions.FILTERS:
            self.assertIn(f"def {name}(x: Any", stubs)
        scope = {}
        exec(compile("from __future__ import annotations\n" + stubs, "stubs", "exec"), scope)
        self.assertEqual(sorted(scope["__all__"]), sorted(vfilter.__all__))
        public = {name for name in scope if not name.startswith("_")} - {"Any", "Iterable", "Literal", "annotations"}
        self.assertEqual(public, set(vfilter.__all__))
        self.assertIn("normalise: bool | Literal['yes', 'no'] | None", stubs)
        self.assertIn("auto is the program's alone", vfilter.nlmeans.__doc__)
        with open(os.path.join(os.path.dirname(vfilter.__file__), "__init__.pyi")) as file:
            self.assertEqual(file.read(), stubs)


class Documents(unittest.TestCase):
    def test_the_program_in_the_document_runs(self):
        page = os.path.join(os.path.dirname(__file__), "../../docs/python.md")
        with open(page) as file:
            program = file.read().split("```python\n")[1].split("```")[0]
        exec(compile(program, page, "exec"), {})


if __name__ == "__main__":
    unittest.main()
