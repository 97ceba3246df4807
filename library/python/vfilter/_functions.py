"""A function for every filter of the table, made of what the library tells of its filters."""

import functools
import numbers
import sys
import textwrap
from typing import Any, Iterable, Literal

from . import _vfilter
from ._devices import packages_of

_Layout = Literal["HW", "HWC", "CHW", "NHW", "NHWC", "NCHW"]

PICTURE_ARGUMENTS = (
    ("mask", "Any", "array of uint8, HW or NHW: 255 is filtered, 0 is not, and between them both are blended"),
    ("out", "Any", "array for the result, of the shape and type of `x`; it is returned"),
    ("layout", "_Layout", "HW, HWC, CHW, NHW, NHWC or NCHW; without it HW, HWC and NHWC, by the dimensions"),
    ("channels", "str", "what the channels are, such as 'BGR' or 'RGBA': colours need it; RGB and RGBA without it"),
    ("depth", "int", "bits of a sample, 9 to 16 with uint16; 16 without it"),
    ("stream", "Any", "of arrays on a GPU: where the work is queued, a number or an object that stands for a stream"),
)


def text_of(value):
    """An argument as the program's command line has it."""
    if isinstance(value, str):
        return str.__str__(value)  # of an enumeration its value
    if is_switch(value):
        return "on" if value else "off"
    number = number_of(value)
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


KINDS = {"number": "a number", "whole": "a whole number", "odd": "an odd whole number"}


def shortened(text):
    """What was typed, for a message: its beginning, in one line."""
    return "".join(letter if letter.isprintable() else "?" for letter in text[:40]) + ("..." if len(text) > 40 else "")


def wanted(parameter):
    """What an argument is, for a message."""
    return KINDS.get(parameter["kind"]) or ("one of " + ", ".join(parameter["words"]) if parameter["words"] else "a text")


def is_text(value):
    """Whether it can be handed on: what stands for bytes that are no UTF-8 cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


def is_switch(value):
    """A bool, or numpy's."""
    return isinstance(value, bool) or (hasattr(value, "dtype") and type(value).__name__ in ("bool", "bool_"))


class NoNumber(TypeError):
    pass


def is_complex(value):
    """Of numbers and arrays that have an imaginary part, which float() drops of numpy's."""
    dtype = getattr(value, "dtype", None)
    return (isinstance(value, numbers.Complex) and not isinstance(value, numbers.Real)
            or getattr(dtype, "kind", None) == "c" or getattr(dtype, "is_complex", False))


def number_of(value):
    if is_complex(value):
        raise NoNumber(f"a {type(value).__name__} is no number of one part")
    try:
        return float(value)
    except (TypeError, ValueError):
        raise NoNumber(f"a {type(value).__name__} is no number") from None
    except OverflowError:
        raise ValueError("a number is larger than any that is possible") from None


def is_row(value):
    """Of several: lists, arrays, ctypes' arrays, generators."""
    return (hasattr(value, "__iter__") or hasattr(value, "__len__")) and not isinstance(value, (str, bytes))


def matrix_text(value):
    """Rows of numbers, also as an array."""
    if isinstance(value, str):
        return value
    rows = list(value) if is_row(value) else [None]
    if not all(is_row(row) for row in rows):
        raise TypeError("a matrix is a list of rows, which are lists of numbers, or a text such as '0 -1 0; -1 5 -1; 0 -1 0'")
    return "; ".join(" ".join(repr(number_of(number)) for number in row) for row in rows) + ";"


def region_text(value):
    """x, y, w, h; or several of these."""
    if isinstance(value, str):
        return value
    boxes = list(value) if is_row(value) else [None]
    if boxes and boxes[0] is not None and not is_row(boxes[0]):
        boxes = [boxes]
    if not all(is_row(box) for box in boxes):
        raise TypeError("a region is x, y, w and h, several of these, or a text such as '10%,10%,20%,20%'")
    return "+".join(",".join(text_of(side) for side in box) for box in boxes)


TEXTS = {"matrix": matrix_text, "region": region_text}


def switch_text(value, parameter):
    """True and False where they mean something."""
    if "yes" in parameter["words"]:
        return "yes" if value else "no"
    if parameter["own"] and parameter["kind"] in ("number", "whole", "odd"):
        raise ValueError(f"{parameter['name']} is a number, and no bool")
    return text_of(value)


def argument_text(name, parameter, value):
    key = parameter["name"]
    made = TEXTS.get(key)
    try:
        if made is None and (is_row(value) or isinstance(value, bytes)) and not hasattr(value, "dtype"):
            raise NoNumber
        return switch_text(value, parameter) if is_switch(value) else (made or text_of)(value)
    except NoNumber as error:
        what = f"{key}: {error}" if made else f"{key} is {wanted(parameter)}, and no {type(value).__name__}"
        raise TypeError(f"{name}: {what}") from None
    except (TypeError, ValueError) as error:
        raise (TypeError if isinstance(error, TypeError) else ValueError)(f"{name}: {error}") from None


def arguments_text(name, arguments):
    """'sigma=2:border=wrap' of a dictionary."""
    known = {parameter["name"]: parameter for parameter in FILTERS[name]["parameters"]}
    for key in arguments:
        if key not in known:
            raise TypeError(f"{name}() has no argument '{shortened(str(key))}'")
    parts = []
    for key, value in arguments.items():
        if value is None:
            continue
        text = argument_text(name, known[key], value)
        if not is_text(text):
            raise ValueError(f"{name}: {key} has bytes that are no UTF-8")
        if ":" in text:  # which would be the beginning of another argument
            raise ValueError(f"{name}: {key} cannot hold a ':'")
        parts.append(f"{key}={text}")
    return ":".join(parts)


FILTERS = {row["name"]: row for row in _vfilter.filters()}


def annotation(parameter):
    kind = parameter["kind"]
    if parameter["name"] in ("alpha", "dither", "invert", "outside"):
        return "bool"
    if set(parameter["words"]) in ({"yes", "no"}, {"on", "off"}):
        return "bool | Literal[" + ", ".join(repr(word) for word in parameter["words"]) + "]"
    if parameter["name"] == "matrix":
        return "str | Iterable[Iterable[float]]"
    if parameter["name"] == "region":
        return "str | Iterable[Any]"
    if kind == "word":
        words = "Literal[" + ", ".join(repr(word) for word in parameter["words"]) + "]"
        return words + " | int" if all(word.isdigit() for word in parameter["words"]) else words
    return {"number": "float", "whole": "int", "odd": "int"}.get(kind, "str")


def signature(row):
    parts = ["x: Any"]
    first = row["parameters"][0]["own"]  # may stand without its name
    for i, parameter in enumerate(row["parameters"]):
        if i == (1 if first else 0):
            parts.append("*")
        parts.append(f"{parameter['name']}: {annotation(parameter)} | None = None")
    parts += [f"{name}: {kind} | None = None" for name, kind, _ in PICTURE_ARGUMENTS]
    return f"{row['name']}({', '.join(parts)}) -> Any"


def number_text(number):
    return f"{number:g}"


def documentation(row):
    lines = [row["help"][0].upper() + row["help"][1:] + ".", "", row["formula"]]
    if row["source"]:
        lines.append(f"({row['source']})")
    lines.append("")
    for parameter in row["parameters"]:
        text = parameter["help"]
        if parameter["kind"] == "word" and parameter["own"] is False:
            text += f" ({', '.join(parameter['words'])})"
        elif parameter["kind"] == "word":
            text += f": {', '.join(parameter['words'])}"
        elif "range" in parameter:
            text += f", {number_text(parameter['range'][0])} to {number_text(parameter['range'][1])}"
            text += f" {parameter['unit']}" if parameter["unit"] else ""
            text += ", odd" if parameter["kind"] == "odd" else ""
        if "default" in parameter:
            default = parameter["default"]
            text += f" (default {parameter['words'][int(default)] if parameter['words'] else number_text(default)})"
        lines += textwrap.wrap(f"{parameter['name']}: {text}", 96, subsequent_indent="    ")
    if any("auto" in parameter["help"] for parameter in row["parameters"]):
        lines.append("(auto is the program's alone, which measures the noise of videos)")
    for name, _, text in PICTURE_ARGUMENTS:
        lines += textwrap.wrap(f"{name}: {text}", 96, subsequent_indent="    ")
    return "\n".join(lines)


KEPT = 256  # operations, which hold tables of their own


@functools.lru_cache(maxsize=KEPT)
def operation_of_text(name, text):
    return _vfilter.Operation([(name, text)])


@functools.lru_cache(maxsize=KEPT)
def operation_of_constants(name, names, values, types):
    return operation_of_text(name, arguments_text(name, dict(zip(names, values))))


CONSTANTS = frozenset((type(None), bool, int, float, str))  # whose values never change, unlike those of arrays


def operation(name, names, values):
    types = tuple(map(type, values))
    if CONSTANTS.issuperset(types):
        return operation_of_constants(name, names, values, types)
    return operation_of_text(name, arguments_text(name, dict(zip(names, values))))


def forget_operations():
    """And with them threads that they were made for."""
    operation_of_constants.cache_clear()
    operation_of_text.cache_clear()


OFF = frozenset(("0", "off", "no", "false"))  # as the program has it


def is_given(value):
    """Whether an argument such as invert= or feather= says something."""
    try:
        return value not in OFF if isinstance(value, str) else bool(value)
    except Exception:  # as arrays of several have no truth
        return True


def refuse_region_words(name):
    raise ValueError(f"{name}: invert, feather and outside are of a region: a mask says itself where all is filtered, and where a part")


TEMPLATE = """
def {signature}:
    if mask is not None and region is None and (_is_given(invert) or _is_given(feather) or _is_given(outside)):
        _refuse_region_words({name!r})
    return _operation({name!r}, _names, ({values},))(x, out, layout, mask, channels, depth, stream)
"""


def make(row):
    names = tuple(parameter["name"] for parameter in row["parameters"])
    values = ", ".join(names)
    # The names of the signature, which typing.get_type_hints() looks up here.
    scope = {"_operation": operation, "_names": names, "_refuse_region_words": refuse_region_words,
             "_is_given": is_given,
             "Any": Any, "Iterable": Iterable, "_Layout": _Layout, "Literal": Literal}
    source = "from __future__ import annotations\n" + TEMPLATE.format(
        signature=signature(row), name=row["name"], values=values)
    exec(compile(source, f"<vfilter.{row['name']}>", "exec"), scope)
    function = scope[row["name"]]
    function.__doc__ = documentation(row)
    function.__module__ = "vfilter"
    return function


def chain(steps):
    """A chain of filters, made once and called often: `soft = vfilter.chain(["gaussian=5", ("sharpen", {"amount": 0.8})])`,
    then `soft(x)`. A step is the program's text, `name` or `name=arguments`, or a pair of a name and a dictionary or such
    arguments, as an operation's `steps` are."""
    made = []
    if isinstance(steps, dict) or not (isinstance(steps, str) or is_row(steps)):
        raise TypeError(f"a chain is a list of steps, and no {type(steps).__name__}")
    for step in [steps] if isinstance(steps, str) else steps:
        if isinstance(step, str):
            if not is_text(step):
                raise ValueError("a step of a chain has bytes that are no UTF-8")
            name, _, arguments = step.partition("=")
            made.append((name, arguments))
            continue
        if not isinstance(step, (tuple, list)) or len(step) != 2:
            raise TypeError("a step of a chain is a text, or a pair of a filter's name and its arguments")
        name, arguments = step
        if not isinstance(name, str):
            raise TypeError(f"a filter's name is a text, and no {type(name).__name__}")
        if not is_text(name) or isinstance(arguments, str) and not is_text(arguments):
            raise ValueError("a step of a chain has bytes that are no UTF-8")
        if isinstance(arguments, str):
            made.append((name, arguments))
            continue
        if name not in FILTERS:
            raise ValueError(f"there is no filter '{shortened(name)}'")
        if not hasattr(arguments, "keys"):
            raise TypeError(f"{name}: the arguments of a step are a dictionary or a text, and no {type(arguments).__name__}")
        made.append((name, arguments_text(name, dict(arguments))))
    return _vfilter.Operation(made)


def restored(kind, steps):
    """For copy and pickle: an operation of a derived class, without its __init__, which may take something else."""
    made = kind.__new__(kind)
    _vfilter.Operation.__init__(made, steps)
    return made


def empty_like(x):
    """A new array of the same kind; or one of numpy's, and what makes the other kind of it without copying."""
    packages = packages_of(x)
    if "numpy" in packages:
        # Samples that stand for several have none of their own places for results.
        numpy = sys.modules["numpy"]
        return numpy.empty(x.shape, x.dtype) if 0 in x.strides else numpy.empty_like(x)
    if "torch" in packages:
        return sys.modules["torch"].empty_like(x)
    if hasattr(x, "__array_namespace__"):
        import numpy

        return numpy.empty_like(numpy.from_dlpack(x)), x.__array_namespace__().from_dlpack
    try:
        view = memoryview(x)
    except TypeError:
        raise TypeError(f"nobody knows how to make a new {type(x).__name__}: give an array to out=") from None
    # Without the order of bytes, which ctypes names.
    return memoryview(bytearray(view.nbytes)).cast(view.format.lstrip("<@="), view.shape)
