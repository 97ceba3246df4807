#pragma once
// Python's arrays as pictures of the library: what they are, how they lie, and what is wrong with them. All of it with
// the GIL held; errors are Python's TypeError and ValueError, of one sentence.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>

#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include "vfilter/vfilter.hpp"

namespace vfilter_python {

namespace nb = nanobind;

using Array = nb::ndarray<nb::ro>;
using WritableArray = nb::ndarray<>;

/// The name of its type.
std::string kind_of(nb::handle object);
/// Typed text for a message: its beginning, in one line.
std::string shortened(const std::string& text);
/// Throws ValueError.
[[noreturn]] void refuse(const std::string& text);

/// Of a number of DLPack's for a kind of device.
bool is_cuda(int device);

/// Whether it is numpy's own kind of array, and of no class derived from that.
bool is_numpy(nb::handle object);

/// Where it is by its __dlpack_device__: DLPack's kind, and the number. Throws TypeError.
std::pair<int, int> dlpack_device(nb::handle object);

/// The object as an Array or a WritableArray, which keeps it alive. `name` is what errors call it. Throws TypeError for
/// what has no samples that can be used.
template <class A>
A array_of(nb::handle object, const char* name);

/// The argument of that name, which is `what`. Throws TypeError, and ValueError of a number that T has
/// not.
template <class T>
T required_argument(nb::handle given, const char* name, const char* what) {
    T made{};
    if (!nb::try_cast(given, made, true)) {
        if (std::is_integral_v<T> && PyLong_Check(given.ptr())) {
            refuse(std::string(name) + " is a number that is larger than any that is possible");
        }
        throw nb::type_error((std::string(name) + " is " + what + ", and no " + kind_of(given)).c_str());
    }
    return made;
}
/// The same, where None is T().
template <class T>
T argument(nb::handle given, const char* name, const char* what) {
    return given.is_none() ? T{} : required_argument<T>(given, name, what);
}

bool is_uint(const nb::dlpack::dtype& dtype, int bits);

/// Where the sides of a picture stand in a shape; -1 where one is not there.
struct Layout {
    int n = -1, h = -1, w = -1, c = -1;
};

/// By a name such as "NHWC"; of "" by the number of dimensions.
Layout layout_of(const std::string& name, std::size_t dimensions);

/// An array as it lies, without the strides of sides that are 1.
vfilter_picture picture_of(const Array& array, const Layout& layout, const char* name);
vfilter_picture picture_of(const WritableArray& array, const Layout& layout, const char* name);

/// Of channels named by letters, "RGB", "BGRA", "L"; of "" as many channels usually are.
vfilter_format format_of(int depth, int channels, const std::string& letters);

}  // namespace vfilter_python
