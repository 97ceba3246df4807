"""Refuses subinterpreters: nanobind keeps what it knows once for a process, so that they would hang or crash the main one."""


def _number(interpreter):
    return interpreter[0] if isinstance(interpreter, tuple) else interpreter


def _is_main():
    for name in ("_interpreters", "_xxsubinterpreters"):  # since Python 3.13, and before
        try:
            interpreters = __import__(name)
        except ImportError:
            continue
        return _number(interpreters.get_current()) == _number(interpreters.get_main())
    return True


if not _is_main():
    raise ImportError("vfilter works in Python's main interpreter alone, and in no subinterpreter")
