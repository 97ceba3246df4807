"""python -m vfilter._stubs: the text of __init__.pyi."""

import textwrap

from ._functions import FILTERS, documentation, signature


def stubs():
    """The text of __init__.pyi."""
    parts = [
        "# Written from the table of filters when the package was built.",
        "from typing import Any, Iterable, Literal",
        "",
        "_Layout = Literal['HW', 'HWC', 'CHW', 'NHW', 'NHWC', 'NCHW']",
        "__version__: str",
        "__all__ = [" + ", ".join(repr(name) for name in ["DeviceArray", "Operation", "chain", "set_threads", *FILTERS]) + "]",
        "",
        "class Operation:",
        "    @property",
        "    def steps(self) -> list[tuple[str, str]]: ...",
        "    def __init__(self, steps: list[tuple[str, str]]) -> None: ...",
        "    def __call__(self, x: Any, out: Any = None, layout: _Layout | None = None, mask: Any = None,"
        " channels: str | None = None, depth: int | None = None, stream: Any = None) -> Any: ...",
        "",
        "class DeviceArray:",
        "    shape: tuple[int, ...]",
        "    device: int",
        "    stream: int",
        "    __cuda_array_interface__: dict[str, Any]",
        "    def __dlpack__(self, **arguments: Any) -> Any: ...",
        "    def __dlpack_device__(self) -> tuple[int, int]: ...",
        "",
        "def chain(steps: str | Iterable[str | tuple[str, Any]]) -> Operation: ...",
        "def set_threads(threads: int) -> None: ...",
        "",
    ]
    for row in FILTERS.values():
        parts.append(f"def {signature(row)}:")
        parts.append(textwrap.indent('"""' + documentation(row).replace("\\", "\\\\") + '"""', "    "))
        parts.append("    ...")
    return "\n".join(parts) + "\n"


if __name__ == "__main__":
    print(stubs(), end="")
