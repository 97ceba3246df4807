"""Callers of the Python module who have handlers of signals, forks in threads and classes of their own."""

import copy
import os
import pickle
import signal
import threading
import unittest
import warnings

import numpy as np

import vfilter
from pictures import picture


class Blur(vfilter.Operation):
    """With an __init__ of its own."""

    def __init__(self, size):
        super().__init__([("gaussian", str(size))])
        self.size = size


class Callers(unittest.TestCase):
    def test_a_handler_may_use_the_operation_that_is_running(self):
        many = "+".join(["0%,0%,100%,100%"] * 300)  # whose weights take long
        white = vfilter.chain(["fill=white:region=" + many])
        large = picture(4000, 4000)
        small = picture(50, 60)
        seen = []

        def handle(*_):
            seen.append(white(small))

        signal.alarm(100)  # rather than never
        before = signal.signal(signal.SIGVTALRM, handle)
        try:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0.02)
            made = white(large)
        finally:
            signal.signal(signal.SIGVTALRM, before)
            signal.alarm(0)
        self.assertTrue(made.min() == 255 and len(seen) == 1 and seen[0].min() == 255)

    def test_signals_end_a_call_after_a_fork_in_a_thread(self):
        x = picture(1000, 256, 256)
        out = np.zeros_like(x)

        class Alarm(Exception):
            pass

        def raise_alarm(*_):
            raise Alarm

        def in_child():
            vfilter.gaussian(x[0], 5)  # by a thread that is no main one yet
            child = os.fork()
            if child == 0:
                code = 2
                try:
                    signal.signal(signal.SIGALRM, raise_alarm)
                    signal.setitimer(signal.ITIMER_REAL, 0.1)
                    vfilter.nlmeans(x, 6, layout="NHW", out=out)
                except Alarm:
                    code = 1 if out[-1].any() else 0
                finally:
                    os._exit(code)
            codes.append(os.waitpid(child, 0)[1])

        codes = []
        thread = threading.Thread(target=in_child)
        thread.start()
        thread.join()
        self.assertEqual(codes, [0])

    def test_operations_of_derived_classes_can_be_copied(self):
        x = picture(20, 30, 3)
        soft = Blur(5)
        for other in (copy.copy(soft), copy.deepcopy(soft), pickle.loads(pickle.dumps(soft)), pickle.loads(pickle.dumps(soft, 0))):
            self.assertIs(type(other), Blur)
            self.assertEqual(other.size, 5)
            np.testing.assert_array_equal(other(x), vfilter.gaussian(x, 5))
        plain = vfilter.Operation([("median", "3")])
        self.assertEqual(pickle.loads(pickle.dumps(plain)).steps, plain.steps)

    def test_an_operation_is_made_once(self):
        soft = Blur(5)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with self.assertRaisesRegex(TypeError, "^an operation is made once, and this one has its steps$"):
                soft.__init__(3)
        self.assertEqual(soft.steps, [("gaussian", "5")])


if __name__ == "__main__":
    unittest.main()
