#include "arrays.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <type_traits>

#include "interpreter.h"

namespace vfilter_python {

namespace {

// Memory that CUDA has page-locked is the host's, too.
bool is_host(int device) {
    return device == nb::device::cpu::value || device == nb::device::cuda_host::value;
}

// nanobind asks a buffer for strides that need not be there, as those of ctypes are not; a memoryview has them.
nb::object with_strides(nb::handle object) {
    if (PyObject_CheckBuffer(object.ptr()) == 0 || PyMemoryView_Check(object.ptr())) {
        return nb::borrow(object);
    }
    PyObject* const view = PyMemoryView_FromObject(object.ptr());
    if (view == nullptr) {
        throw nb::python_error();
    }
    return nb::steal(view);
}

// Null, and Python's error, where it gives none. Producers that are older know no versions, and make none that are
// read-only.
nb::object dlpack_capsule(nb::handle object, bool of_version) {
    static PyObject* const method = PyUnicode_InternFromString("__dlpack__");
    static PyObject* const names = PyTuple_Pack(1, nb::str("max_version").release().ptr());
    static PyObject* const version =
        nb::make_tuple(nb::dlpack::major_version, nb::dlpack::minor_version).release().ptr();
    PyObject* const arguments[] = {object.ptr(), version};
    return nb::steal(
        in_python([&] { return PyObject_VectorcallMethod(method, arguments, 1, of_version ? names : nullptr); }));
}

// Whether it is one of numpy's with a mask of its own, of which nobody knows what its samples mean there.
bool is_masked(nb::handle object) {
    if (is_numpy(object) || PyMemoryView_Check(object.ptr()) || PyObject_CheckBuffer(object.ptr()) == 0) {
        return false;
    }
    PyObject* const module = PyDict_GetItemString(PyImport_GetModuleDict(), "numpy.ma");
    return module != nullptr && nb::isinstance(object, nb::handle(module).attr("MaskedArray"));
}

// What nanobind makes an array of: DLPack's capsule of what has one, which it marks as used. (It asks by itself as
// well, and marks none of those, so that one that is given out twice would be freed twice.)
nb::object exported(nb::handle object, bool to_write) {
    if (is_numpy(object) || PyMemoryView_Check(object.ptr())) {
        return nb::borrow(object);
    }
    if (PyCapsule_CheckExact(object.ptr()) || !has_attribute(object, "__dlpack__")) {
        return with_strides(object);
    }
    nb::object capsule = dlpack_capsule(object, to_write);
    if (!capsule.is_valid() &&
        (PyErr_ExceptionMatches(PyExc_BufferError) != 0 || PyErr_ExceptionMatches(PyExc_TypeError) != 0)) {
        PyErr_Clear();
        capsule = dlpack_capsule(object, !to_write);
    }
    if (capsule.is_valid()) {
        return capsule;
    }
    if (PyObject_CheckBuffer(object.ptr()) == 0 || PyErr_ExceptionMatches(PyExc_Exception) == 0 ||
        PyErr_ExceptionMatches(PyExc_MemoryError) != 0) {
        throw nb::python_error();
    }
    PyErr_Clear();
    return with_strides(object);
}

// As DLPack has it since version 1.
struct VersionedTensor {
    std::uint32_t version[2];
    void* context;
    void (*deleter)(VersionedTensor*);
    std::uint64_t flags;
};

// Throws what keeps a capsule from being an array that can be used.
[[noreturn]] void refuse_capsule(nb::handle capsule, const std::string& name, bool to_write) {
    constexpr std::uint64_t read_only = 1;
    constexpr const char* versioned = "dltensor_versioned";
    if (to_write && PyCapsule_IsValid(capsule.ptr(), versioned) != 0) {
        const auto* const tensor = static_cast<const VersionedTensor*>(PyCapsule_GetPointer(capsule.ptr(), versioned));
        if ((tensor->flags & read_only) != 0) {
            throw nb::type_error((name + " is read-only").c_str());
        }
    }
    const char* const called = PyCapsule_GetName(capsule.ptr());
    PyErr_Clear();
    if (called != nullptr && std::string_view(called).starts_with("used_dltensor")) {
        throw nb::value_error(
            (name + " gives a DLPack capsule that has been used already: each can be taken once").c_str());
    }
    throw nb::type_error((name + " gives a capsule that is no array of DLPack's").c_str());
}

// Of strides that cannot be used. A copy of what is written to would be lost.
std::string way_out(bool to_write) {
    return to_write ? "; take a whole array and copy it from there" : "; np.ascontiguousarray copies it";
}

// Throws what keeps an object from being an array that can be used.
[[noreturn]] void refuse_array(nb::handle object, const std::string& name, bool to_write) {
    const auto refuse_type = [&](const std::string& what) { throw nb::type_error((name + what).c_str()); };
    if (PyObject_CheckBuffer(object.ptr()) != 0) {
        PyObject* const taken = PyMemoryView_FromObject(object.ptr());
        if (taken == nullptr) {
            throw nb::python_error();  // which says why there is no buffer
        }
        const nb::object view = nb::steal(taken);
        if (to_write && nb::cast<bool>(view.attr("readonly"))) {
            refuse_type(" is read-only");
        }
        const nb::object suboffsets = view.attr("suboffsets");
        if (nb::len(nb::handle(suboffsets)) > 0) {
            refuse_type(" has rows that lie by themselves, each behind a pointer (suboffsets)" + way_out(to_write));
        }
        const auto format = nb::cast<std::string>(view.attr("format"));
        const bool native = format == "B" || format == "H" || format == "=H" || format == "@H";
        if (!native) {
            refuse_type(" has samples of the format '" + shortened(format) +
                        "', which are neither uint8 nor uint16 in this machine's order of bytes");
        }
        refuse_type(" has strides that are no multiples of a sample" + way_out(to_write));
    }
    refuse_type(std::string(" is no array") + (to_write ? " that can be written" : "") +
                " (buffer protocol, DLPack or __cuda_array_interface__), but a " + kind_of(object));
    std::abort();
}

template <class A>
vfilter_picture describe(const A& array, const Layout& layout, const char* name) {
    const auto bytes = static_cast<std::int64_t>(array.itemsize());
    const auto side = [&](int at) { return at < 0 ? std::size_t{1} : array.shape(static_cast<std::size_t>(at)); };
    const auto pitch = [&](int at) {
        return at < 0 ? 0 : static_cast<std::ptrdiff_t>(array.stride(static_cast<std::size_t>(at)) * bytes);
    };
    for (const int at : {layout.n, layout.h, layout.w}) {
        if (side(at) < 1 || side(at) > (1U << 20)) {
            refuse(std::string(name) + " is empty, or larger than 1048576 along one side");
        }
    }
    if (side(layout.c) < 1 || side(layout.c) > VFILTER_MAX_CHANNELS) {
        refuse(std::string(name) + " has " + std::to_string(side(layout.c)) +
               " channels, and 1 to 4 are possible; say layout='NHW' for several pictures, 'CHW' or 'NCHW' where "
               "channels come before the rows");
    }
    if (reinterpret_cast<std::uintptr_t>(array.data()) % static_cast<std::uintptr_t>(bytes) != 0) {
        refuse(std::string(name) + " begins at an address that is no multiple of its samples' " +
               std::to_string(bytes) + " bytes" +
               (std::is_same_v<A, WritableArray> ? "; take another array and copy it from there"
                                                 : "; a copy of it does not"));
    }
    vfilter_picture made = VFILTER_PICTURE_INIT;
    made.data = const_cast<void*>(static_cast<const void*>(array.data()));
    if (is_cuda(array.device_type())) {
        made.memory = VFILTER_CUDA;
        made.device = array.device_id();
    }
    made.width = static_cast<int>(side(layout.w));
    made.height = static_cast<int>(side(layout.h));
    made.channels = static_cast<int>(side(layout.c));
    made.count = static_cast<std::ptrdiff_t>(side(layout.n));
    made.row_pitch = pitch(layout.h);
    made.channel_pitch = pitch(layout.c);
    made.picture_pitch = pitch(layout.n);
    made.pixel_pitch = pitch(layout.w);
    if (made.width == 1) {  // whose stride may be anything
        const bool together = made.channels > 1 && std::abs(made.channel_pitch) == bytes;
        made.pixel_pitch = static_cast<std::ptrdiff_t>(together ? bytes * made.channels : bytes);
    }
    if (made.height == 1) {
        made.row_pitch = made.width * made.pixel_pitch;
    }
    const bool plane = made.pixel_pitch == bytes;
    const bool together =
        made.channels > 1 && made.pixel_pitch == made.channels * bytes && std::abs(made.channel_pitch) == bytes;
    if (!plane && !together) {
        refuse(std::string(name) +
               " has strides in which a row's samples do not lie side by side, those of one channel "
               "or of all" +
               way_out(std::is_same_v<A, WritableArray>));
    }
    return made;
}

}  // namespace

std::string kind_of(nb::handle object) {
    return nb::cast<std::string>(nb::str(object.type().attr("__name__")));
}

bool is_numpy(nb::handle object) {
    static PyTypeObject* known = nullptr;  // which is never freed, so that no other type comes to its place
    static PyTypeObject* other = nullptr;  // the last one that was none
    PyTypeObject* const type = Py_TYPE(object.ptr());
    if (type == known || type == other) {
        return type == known;
    }
    const bool is = PyObject_CheckBuffer(object.ptr()) != 0 && kind_of(object) == "ndarray" &&
                    nb::cast<std::string>(nb::str(object.type().attr("__module__"))) == "numpy";
    (is ? known : other) = type;
    return is;
}

std::string shortened(const std::string& text) {
    constexpr std::size_t most = 40;
    std::size_t end = std::min(text.size(), most);
    while (end < text.size() && end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0U) == 0x80U) {
        --end;  // not inside a UTF-8 character
    }
    std::string made = text.substr(0, end) + (end < text.size() ? "..." : "");
    constexpr unsigned char first_printable = 0x20;
    std::replace_if(
        made.begin(), made.end(), [](char letter) { return static_cast<unsigned char>(letter) < first_printable; },
        '?');
    return made;
}

[[noreturn]] void refuse(const std::string& text) {
    throw nb::value_error(text.c_str());
}

bool is_cuda(int device) {
    return device == nb::device::cuda::value || device == nb::device::cuda_managed::value;
}

std::pair<int, int> dlpack_device(nb::handle object) {
    std::pair<int, int> made;
    if (!nb::try_cast(call(object.attr("__dlpack_device__")), made, true)) {
        throw nb::type_error(("the __dlpack_device__ of a " + kind_of(object) + " is no pair of numbers").c_str());
    }
    return made;
}

template <class A>
A array_of(nb::handle object, const char* name) {
    if (is_masked(object)) {
        throw nb::type_error((std::string(name) + " is a masked array: fill it first (.filled())").c_str());
    }
    A array;
    constexpr bool to_write = !std::is_same_v<A, Array>;
    const nb::object given = exported(object, to_write);
    if (!nb::try_cast(given, array, false)) {
        if (PyCapsule_CheckExact(given.ptr())) {
            refuse_capsule(given, name, to_write);
        }
        refuse_array(object, name, to_write);
    }
    const int device = array.device_type();
    if (!is_host(device) && !is_cuda(device)) {
        throw nb::type_error((std::string(name) + " is neither in host memory nor on an NVIDIA GPU").c_str());
    }
    return array;
}
template Array array_of(nb::handle object, const char* name);
template WritableArray array_of(nb::handle object, const char* name);

bool is_uint(const nb::dlpack::dtype& dtype, int bits) {
    return dtype.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) && dtype.bits == bits &&
           dtype.lanes == 1;
}

Layout layout_of(const std::string& name, std::size_t dimensions) {
    std::string text = name;
    if (text.empty()) {
        constexpr const char* usual[] = {"HW", "HWC", "NHWC"};
        if (dimensions < 2 || dimensions > 4) {
            refuse("an array of " + std::to_string(dimensions) +
                   " dimensions is no picture: it has 2 (HW), 3 (HWC) or 4 (NHWC)");
        }
        text = usual[dimensions - 2];
    }
    for (const char* const known : {"HW", "HWC", "CHW", "NHW", "NHWC", "NCHW"}) {
        if (text == known) {
            const auto at = [&](char letter) {
                const std::size_t found = text.find(letter);
                return found == std::string::npos ? -1 : static_cast<int>(found);
            };
            if (text.size() != dimensions) {
                refuse("layout " + text + " has " + std::to_string(text.size()) + " dimensions, and the array " +
                       std::to_string(dimensions));
            }
            return {at('N'), at('H'), at('W'), at('C')};
        }
    }
    refuse("layout is HW, HWC, CHW, NHW, NHWC or NCHW, not '" + shortened(text) + "'");
}

vfilter_picture picture_of(const Array& array, const Layout& layout, const char* name) {
    return describe(array, layout, name);
}

vfilter_picture picture_of(const WritableArray& array, const Layout& layout, const char* name) {
    return describe(array, layout, name);
}

namespace {

// Of UTF-8, without the bytes that are not the first of one.
std::ptrdiff_t characters(const std::string& text) {
    return std::ranges::count_if(text, [](char one) { return (static_cast<unsigned char>(one) & 0xc0U) != 0x80U; });
}

}  // namespace

vfilter_format format_of(int depth, int channels, const std::string& letters) {
    vfilter_format format = vfilter::picture_format(depth, channels);
    if (letters.empty()) {
        return format;
    }
    constexpr std::string_view known = "LUVRGBA";  // in the order of vfilter_component
    if (const auto names = characters(letters); names != channels) {
        refuse("channels='" + shortened(letters) + "' names " + std::to_string(names) + " channels, and there are " +
               std::to_string(channels));
    }
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const std::size_t found = known.find(letters[i] == 'Y' ? 'L' : letters[i]);
        if (found == std::string_view::npos) {
            refuse("channels='" + shortened(letters) + "': a channel is R, G, B, A, L (gray), or Y, U, V");
        }
        format.components[i] = static_cast<vfilter_component>(found);
        if (letters[i] == 'Y' || letters[i] == 'U' || letters[i] == 'V') {
            format.full_range = 0;
        }
    }
    return format;
}

}  // namespace vfilter_python
