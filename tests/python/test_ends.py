"""The Python module while Python ends."""

import subprocess
import sys
import unittest

BEGIN = """
import atexit, sys, threading, time
import numpy as np

class Exported:  # whose methods are Python's
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **arguments):
        sum(range(100))
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self):
        return 1, 0

x = np.random.default_rng(0).integers(0, 256, (600, 800, 3), np.uint8)
small = x[:4, :4].copy()
out = np.empty_like(small)
"""


def end_of(program):
    """What a process of that program writes, and its exit code."""
    done = subprocess.run([sys.executable, "-c", BEGIN + program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=100, text=True)
    return done.stdout, done.returncode


class Ends(unittest.TestCase):
    def test_threads_that_are_in_a_call(self):
        for work in ("vfilter.median(x, 31)", "vfilter.gaussian(small, 3)", "vfilter.gaussian(Exported(small), 3, out=out)"):
            program = f"""
import vfilter
def work():
    begun.set()
    while True:
        {work}
begun = threading.Event()
sys.setswitchinterval(1e-5)
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
begun.wait()
time.sleep(0.1)
print("the main thread ends", flush=True)
"""
            for _ in range(3):
                self.assertEqual(end_of(program), ("the main thread ends\n", 0), work)

    def test_the_last_functions_may_call_it(self):
        self.assertEqual(end_of("""
@atexit.register
def last():
    print(vfilter.gaussian(small, 5).shape, flush=True)
import vfilter
before = vfilter.gaussian(small, 5)
soft = vfilter.chain(["median=3"])
"""), ("(4, 4, 3)\n", 0))

    def test_nothing_is_told_at_the_end(self):
        self.assertEqual(end_of("""
import vfilter
soft = vfilter.chain(["median=3"])
kept = [soft(small), vfilter.gaussian(small, 5), vfilter.fill]
vfilter.set_threads(3)
vfilter.gaussian(x, 5)
"""), ("", 0))


if __name__ == "__main__":
    unittest.main()
