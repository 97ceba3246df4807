"""What the tests of the Python module filter."""

import numpy as np


def picture(*shape, dtype=np.uint8, seed=1):
    return np.random.default_rng(seed).integers(0, np.iinfo(dtype).max + 1, shape, dtype)


def example(row):
    """The row's example: the program's text, and the same as a function's arguments, numbers as numbers."""
    text = row["example"].strip('"')  # which are a shell's
    kinds = {parameter["name"]: parameter["kind"] for parameter in row["parameters"]}
    arguments = {}
    for part in text.split(":") if text else []:
        key, _, value = part.rpartition("=")
        key = key or row["parameters"][0]["name"]
        if key == "matrix":
            arguments[key] = [[float(number) for number in line.split()] for line in value.split(";")]
        else:
            arguments[key] = {"number": float, "whole": int, "odd": int}.get(kinds[key], str)(value)
    return text, arguments
