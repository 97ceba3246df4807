// vfilter._vfilter: operations that take arrays. The functions with names and arguments are made of the table of
// filters in vfilter/_functions.py.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "vfilter/vfilter.hpp"

namespace nb = nanobind;

namespace {

using Array = nb::ndarray<nb::ro>;
using WritableArray = nb::ndarray<>;

struct State {
    std::shared_ptr<const vfilter::Context> context = std::make_shared<const vfilter::Context>(1);
    nb::object empty_like;  // of an array: a new one, or a pair of that and what makes the caller's kind of it
    nb::object on_device;   // vfilter/_devices.py
};
State* state = nullptr;  // of the module

std::string kind_of(nb::handle object) {
    return nb::cast<std::string>(nb::str(object.type().attr("__name__")));
}

[[noreturn]] void refuse(const std::string& text) {
    throw nb::value_error(text.c_str());
}

// Memory that CUDA has page-locked is the host's, too.
bool is_host(int device) {
    return device == nb::device::cpu::value || device == nb::device::cuda_host::value;
}
bool is_cuda(int device) {
    return device == nb::device::cuda::value || device == nb::device::cuda_managed::value;
}

// nanobind asks a buffer for strides that need not be there, as those of ctypes are not; a memoryview has them.
nb::object with_strides(nb::handle object) {
    if (PyObject_CheckBuffer(object.ptr()) == 0 || PyMemoryView_Check(object.ptr()) ||
        nb::hasattr(object, "__dlpack__")) {
        return nb::borrow(object);
    }
    PyObject* const view = PyMemoryView_FromObject(object.ptr());
    if (view == nullptr) {
        throw nb::python_error();
    }
    return nb::steal(view);
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
        const auto format = nb::cast<std::string>(view.attr("format"));
        if (format != "B" && format != "H") {
            refuse_type(" has samples of the format '" + format +
                        "', which are neither uint8 nor uint16 in this machine's order of bytes");
        }
        refuse_type(" has strides that are no multiples of a sample; np.ascontiguousarray copies it");
    }
    if (nb::hasattr(object, "__dlpack__")) {
        object.attr("__dlpack__")();  // may tell by itself
        refuse_type(" has samples that DLPack does not give as uint8 or uint16");
    }
    refuse_type(std::string(" is no array") + (to_write ? " that can be written" : "") +
                " (buffer protocol, DLPack or __cuda_array_interface__), but a " + kind_of(object));
    std::abort();
}

template <class A>
A array_of(nb::handle object, const char* name) {
    A array;
    if (!nb::try_cast(with_strides(object), array, false)) {
        refuse_array(object, name, !std::is_same_v<A, Array>);
    }
    const int device = array.device_type();
    if (!is_host(device) && !is_cuda(device)) {
        throw nb::type_error((std::string(name) + " is neither in host memory nor on an NVIDIA GPU").c_str());
    }
    return array;
}

// T() of None.
template <class T>
T argument(nb::handle given, const char* name, const char* what) {
    T made{};
    if (!given.is_none() && !nb::try_cast(given, made, true)) {
        throw nb::type_error((std::string(name) + " is " + what + ", and no " + kind_of(given)).c_str());
    }
    return made;
}

bool is_uint(const nb::dlpack::dtype& dtype, int bits) {
    return dtype.code == static_cast<std::uint8_t>(nb::dlpack::dtype_code::UInt) && dtype.bits == bits &&
           dtype.lanes == 1;
}

// Where the sides of a picture stand in a shape; -1 where one is not there.
struct Layout {
    int n = -1, h = -1, w = -1, c = -1;
};

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
    refuse("layout is HW, HWC, CHW, NHW, NHWC or NCHW, not '" + text + "'");
}

template <class A>
vfilter_picture picture_of(const A& array, const Layout& layout, const char* name) {
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
               " channels, and 1 to 4 are possible; say layout='CHW' or 'NCHW' where they come before the rows");
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
               "or of all; np.ascontiguousarray copies it");
    }
    return made;
}

// "RGB", "BGRA", "L": a letter for each channel.
vfilter_format format_of(int depth, int channels, const std::string& letters) {
    vfilter_format format = vfilter::picture_format(depth, channels);
    if (letters.empty()) {
        return format;
    }
    constexpr std::string_view known = "LUVRGBA";  // in the order of vfilter_component
    if (letters.size() != static_cast<std::size_t>(channels)) {
        refuse("channels='" + letters + "' names " + std::to_string(letters.size()) + " channels, and there are " +
               std::to_string(channels));
    }
    for (std::size_t i = 0; i < letters.size(); ++i) {
        const std::size_t found = known.find(letters[i] == 'Y' ? 'L' : letters[i]);
        if (found == std::string_view::npos) {
            refuse("channels='" + letters + "': a channel is R, G, B, A, L (gray), or Y, U, V");
        }
        format.components[i] = static_cast<vfilter_component>(found);
        if (letters[i] == 'Y' || letters[i] == 'U' || letters[i] == 'V') {
            format.full_range = 0;
        }
    }
    return format;
}

// What vfilter/_devices.py says of arrays on a GPU; nothing of others.
struct OnDevice {
    nb::object source;
    nb::object result;
    nb::object mask;
    void* stream = nullptr;
    nb::object finish;  // makes what is returned

    OnDevice(const nb::object& x, const nb::object& out, const nb::object& mask_given, const nb::object& stream_given) {
        if (!stream_given.is_none() || nb::hasattr(x, "__cuda_array_interface__") || on_gpu(x)) {
            const auto all = nb::cast<nb::tuple>(state->on_device(x, out, mask_given, stream_given));
            source = all[0];
            result = all[1];
            mask = all[2];
            stream = reinterpret_cast<void*>(nb::cast<std::uintptr_t>(all[3]));
            finish = all[4];
        }
    }
    explicit operator bool() const { return finish.is_valid(); }

private:
    static bool on_gpu(const nb::object& x) {
        // Arrays that have a buffer are asked for it alone.
        return PyObject_CheckBuffer(x.ptr()) == 0 && nb::hasattr(x, "__dlpack_device__") &&
               is_cuda(nb::cast<int>(x.attr("__dlpack_device__")()[nb::int_(0)]));
    }
};

// Memory of the context's on a GPU: its address, and what owns it.
std::pair<std::uintptr_t, nb::object> device_allocate(std::size_t bytes, int device, std::uintptr_t stream) {
    struct Owner {
        std::shared_ptr<const vfilter::Context> context;
        void* data = nullptr;
    };
    auto owner = std::make_unique<Owner>(Owner{state->context});
    vfilter::detail::check(
        vfilter_device_allocate(owner->context->get(), device, reinterpret_cast<void*>(stream), bytes, &owner->data));
    const auto address = reinterpret_cast<std::uintptr_t>(owner->data);
    return {address, nb::capsule(owner.release(), [](void* given) noexcept {
                const std::unique_ptr<Owner> own(static_cast<Owner*>(given));
                vfilter_device_free(own->context->get(), own->data);
            })};
}

// Memory of the owner's on a GPU, as DLPack's capsule; strides in elements.
nb::object device_view(std::uintptr_t data, const std::vector<std::size_t>& shape,
                       const std::vector<std::int64_t>& strides, int bits, int device, nb::object owner) {
    const auto type = bits == 8 ? nb::dtype<std::uint8_t>() : nb::dtype<std::uint16_t>();
    return nb::cast(nb::ndarray<>(reinterpret_cast<void*>(data), shape.size(), shape.data(), owner,
                                  strides.empty() ? nullptr : strides.data(), type, nb::device::cuda::value, device));
}

class ArrayOperation {
public:
    explicit ArrayOperation(std::vector<std::pair<std::string, std::string>> steps) : steps_(std::move(steps)) {
        operation_for(8, 3, "");  // what is wrong is told where the arguments stand
    }

    nb::object run(nb::object x, nb::object out, nb::object layout_given, nb::object mask, nb::object channels_given,
                   nb::object depth_given, nb::object stream) {
        const auto layout_name = argument<std::string>(layout_given, "layout", "a text");
        const auto channels = argument<std::string>(channels_given, "channels", "a text");
        const auto depth = argument<int>(depth_given, "depth", "a whole number");
        OnDevice gpu(x, out, mask, stream);
        const Array source = array_of<Array>(gpu ? gpu.source : x, "the picture");
        const int bits = is_uint(source.dtype(), 8) ? 8 : is_uint(source.dtype(), 16) ? 16 : 0;
        if (bits == 0) {
            throw nb::type_error("the picture's samples are neither uint8 nor uint16");
        }
        if (depth != 0 && (bits == 8 ? depth != 8 : depth < 9 || depth > 16)) {
            refuse("depth is 8 with uint8, and 9 to 16 with uint16");
        }
        const Layout layout = layout_of(layout_name, source.ndim());
        const vfilter_picture from = picture_of(source, layout, "the picture");
        const auto operation = operation_for(depth != 0 ? depth : bits, from.channels, channels);

        nb::object result = gpu ? gpu.result : out;
        nb::object wrap = nb::none();
        if (result.is_none()) {
            result = state->empty_like(x);
            if (nb::isinstance<nb::tuple>(result)) {
                const auto both = nb::borrow<nb::tuple>(result);
                result = both[0];
                wrap = both[1];
            }
        }
        if (!out.is_none() && nb::cast<std::string>(out.type().attr("__module__")).starts_with("jax")) {
            throw nb::type_error("out is an array of jax, and those never change");
        }
        const WritableArray target = array_of<WritableArray>(result, "out");
        bool same = target.dtype() == source.dtype() && target.ndim() == source.ndim();
        for (std::size_t i = 0; same && i < source.ndim(); ++i) {
            same = target.shape(i) == source.shape(i);
        }
        if (!same) {
            refuse("out is not of the picture's shape and type");
        }
        const vfilter_picture to = picture_of(target, layout, "out");

        vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
        vfilter_picture weights = VFILTER_PICTURE_INIT;
        Array mask_array;
        if (!mask.is_none()) {
            mask_array = array_of<Array>(gpu ? gpu.mask : mask, "mask");
            if (!is_uint(mask_array.dtype(), 8) || mask_array.ndim() < 2 || mask_array.ndim() > 3) {
                throw nb::type_error("mask is an array of uint8, HW or NHW");
            }
            weights =
                picture_of(mask_array, layout_of(mask_array.ndim() == 2 ? "HW" : "NHW", mask_array.ndim()), "mask");
            options.mask = &weights;
        }
        options.stream = gpu.stream;
        {
            const nb::gil_scoped_release release;
            operation->run(from, to, &options);
        }
        if (gpu) {
            return gpu.finish();
        }
        return wrap.is_none() ? result : wrap(result);
    }

    [[nodiscard]] const std::vector<std::pair<std::string, std::string>>& steps() const { return steps_; }

private:
    struct Key {
        int depth;
        int channels;
        std::string letters;
        bool operator<(const Key& other) const {
            return std::tie(depth, channels, letters) < std::tie(other.depth, other.channels, other.letters);
        }
    };

    // Under the GIL.
    std::shared_ptr<const vfilter::Operation> operation_for(int depth, int channels, const std::string& letters) {
        if (context_ != state->context) {
            made_.clear();
            context_ = state->context;
        }
        const Key key{depth, channels, letters};
        const auto found = made_.find(key);
        if (found != made_.end()) {
            return found->second;
        }
        return made_
            .emplace(key,
                     std::make_shared<const vfilter::Operation>(*context_, steps_, format_of(depth, channels, letters)))
            .first->second;
    }

    std::vector<std::pair<std::string, std::string>> steps_;
    std::shared_ptr<const vfilter::Context> context_;
    std::map<Key, std::shared_ptr<const vfilter::Operation>> made_;
};

nb::list filters() {
    nb::list all;
    for (std::size_t i = 0; i < vfilter_filter_count(); ++i) {
        const vfilter_filter& row = *vfilter_filter_at(i);
        nb::list parameters;
        for (std::size_t j = 0; j < row.parameter_count; ++j) {
            const vfilter_parameter& parameter = *vfilter_parameter_at(&row, j);
            constexpr const char* kinds[] = {"number", "whole", "odd", "word", "colour", "text"};
            nb::list words;
            for (std::size_t k = 0; k < parameter.word_count; ++k) {
                words.append(parameter.words[k]);
            }
            nb::dict made;
            made["name"] = parameter.name;
            made["kind"] = kinds[parameter.kind];
            made["unit"] = parameter.unit;
            made["help"] = parameter.help;
            made["words"] = words;
            made["own"] = j < row.own_count;
            if (!std::isnan(parameter.minimum)) {
                made["range"] = nb::make_tuple(parameter.minimum, parameter.maximum);
            }
            if (!std::isnan(parameter.fallback)) {
                made["default"] = parameter.fallback;
            }
            parameters.append(made);
        }
        nb::dict made;
        made["name"] = row.name;
        made["help"] = row.help;
        made["formula"] = row.formula;
        made["source"] = row.source;
        made["example"] = row.example;
        made["parameters"] = parameters;
        all.append(made);
    }
    return all;
}

}  // namespace

NB_MODULE(_vfilter, module) {
    state = new State;
    module.attr("__version__") = vfilter_version();
    nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
        try {
            std::rethrow_exception(pointer);
        } catch (const vfilter::Error& error) {
            PyObject* const types[] = {
                nullptr,           PyExc_ValueError,   PyExc_ValueError,  PyExc_NotImplementedError,
                PyExc_MemoryError, PyExc_RuntimeError, PyExc_RuntimeError};
            PyErr_SetString(types[error.status()], error.what());
        }
    });
    module.def("filters", filters);
    module.def("set_empty_like", [](nb::object function) { state->empty_like = std::move(function); });
    module.def("set_on_device", [](nb::object function) { state->on_device = std::move(function); });
    module.def("device_of", [](std::uintptr_t data) {
        int device = -1;
        vfilter::detail::check(vfilter_device_of(reinterpret_cast<const void*>(data), &device));
        return device;
    });
    module.def("device_allocate", device_allocate);
    module.def("device_view", device_view);
    module.def("stream_follow", [](int device, std::uintptr_t stream, std::uintptr_t earlier) {
        vfilter::detail::check(
            vfilter_stream_follow(device, reinterpret_cast<void*>(stream), reinterpret_cast<void*>(earlier)));
    });
    module.def(
        "stream_wait",
        [](int device, std::uintptr_t stream) {
            vfilter::detail::check(vfilter_stream_wait(device, reinterpret_cast<void*>(stream)));
        },
        nb::call_guard<nb::gil_scoped_release>());
    module.def(
        "set_threads",
        [](nb::object threads) {
            state->context =
                std::make_shared<const vfilter::Context>(argument<int>(threads, "threads", "a whole number"));
        },
        nb::arg("threads").none());
    module.def("forget",
               [] { state->empty_like = state->on_device = nb::none(); });  // at the end, before Python itself goes
    nb::class_<ArrayOperation>(
        module, "Operation",
        "A filter or a chain of them. Made once, called for any number of pictures, by any threads.")
        .def(nb::init<std::vector<std::pair<std::string, std::string>>>(), nb::arg("steps"))
        .def("__call__", &ArrayOperation::run, nb::arg("x").none(), nb::arg("out") = nb::none(),
             nb::arg("layout") = nb::none(), nb::arg("mask") = nb::none(), nb::arg("channels") = nb::none(),
             nb::arg("depth") = nb::none(), nb::arg("stream") = nb::none(),
             "The filtered picture, of the same kind as `x`.")
        .def("__reduce__",
             [](nb::handle self) {  // for pickle and copy
                 return nb::make_tuple(self.type(), nb::make_tuple(self.attr("steps")));
             })
        .def_prop_ro("steps", &ArrayOperation::steps);
}
