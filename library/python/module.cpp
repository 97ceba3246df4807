// vfilter._vfilter: operations that take arrays. The functions with names and arguments are made of the table of
// filters in vfilter/_functions.py.

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "arrays.h"
#include "interpreter.h"

namespace vfilter_python {

namespace {

struct State {
    std::shared_ptr<const vfilter::Context> context = std::make_shared<const vfilter::Context>(1);
    // References to functions that are kept by their modules, and there up to Python's end:
    nb::object empty_like;  // of an array: a new one, or a pair of that and what makes the caller's kind of it
    nb::object on_device;   // vfilter/_devices.py
};
State* state = nullptr;  // of the module; never destroyed

// What such a reference is to.
nb::object referred(const nb::object& reference) {
    nb::object function = reference.is_valid() ? reference() : nb::none();
    if (function.is_none()) {
        throw std::runtime_error("Python ends, and with it vfilter");
    }
    return function;
}

// What vfilter/_devices.py says of arrays on a GPU; nothing of others.
struct OnDevice {
    nb::object source;
    nb::object result;
    nb::object mask;
    void* stream = nullptr;
    nb::object finish;  // makes what is returned

    OnDevice(const nb::object& x, const nb::object& out, const nb::object& mask_given, const nb::object& stream_given) {
        const bool on_host = is_numpy(x) || PyMemoryView_Check(x.ptr());  // which need not be asked
        if (!stream_given.is_none() || (!on_host && (has_attribute(x, "__cuda_array_interface__") || on_gpu(x)))) {
            const auto all = nb::cast<nb::tuple>(call(referred(state->on_device), x, out, mask_given, stream_given));
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
        return PyObject_CheckBuffer(x.ptr()) == 0 && has_attribute(x, "__dlpack_device__") &&
               is_cuda(dlpack_device(x).first);
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

// Whether one of the handlers that are due has raised, as Ctrl-C's does.
int signal_raised(void* /*data*/) {
    const nb::gil_scoped_acquire acquire;
    return PyErr_CheckSignals();
}

class ArrayOperation {
public:
    explicit ArrayOperation(const nb::object& steps) {
        constexpr const char* wanted =
            "an operation's steps are a list of pairs of texts, a filter's name and its arguments; vfilter.chain() "
            "takes more";
        if (PyUnicode_Check(steps.ptr()) || !nb::try_cast(steps, steps_, true)) {
            throw nb::type_error(wanted);
        }
        // What is wrong is told where the arguments stand, unless there are pictures of which it is right.
        for (const auto& [depth, channels, letters] :
             {Key{8, 3, ""}, Key{16, 3, ""}, Key{8, 1, ""}, Key{16, 1, ""}, Key{16, 3, "YUV"}}) {
            try {
                operation_for(depth, channels, letters);
                return;
            } catch (const vfilter::Error& error) {
                if (error.status() != VFILTER_ERROR_ARGUMENT) {
                    throw;
                }
            }
        }
        operation_for(8, 3, "YUV");
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
        if (!depth_given.is_none() && (bits == 8 ? depth != 8 : depth < 9 || depth > 16)) {
            refuse("depth is 8 with uint8, and 9 to 16 with uint16");
        }
        const Layout layout = layout_of(layout_name, source.ndim());
        const vfilter_picture from = picture_of(source, layout, "the picture");
        const auto operation = operation_for(depth_given.is_none() ? bits : depth, from.channels, channels);

        nb::object result = gpu ? gpu.result : out;
        nb::object wrap = nb::none();
        if (result.is_none()) {
            result = call(referred(state->empty_like), x);
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
                throw nb::type_error(
                    "mask is an array of uint8, HW or NHW, 255 where all is filtered; of bools it is "
                    "mask.astype('uint8') * 255");
            }
            weights =
                picture_of(mask_array, layout_of(mask_array.ndim() == 2 ? "HW" : "NHW", mask_array.ndim()), "mask");
            options.mask = &weights;
        }
        options.stream = gpu.stream;
        options.cancelled = in_main_thread() ? signal_raised : nullptr;
        try {
            const WithoutGil meanwhile;
            operation->run(from, to, &options);
        } catch (const vfilter::Error& error) {
            if (error.status() == VFILTER_ERROR_CANCELLED) {
                throw nb::python_error();
            }
            throw;
        }
        if (gpu) {
            return call(gpu.finish);
        }
        return wrap.is_none() ? result : call(wrap, result);
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

// An operation's own part, which classes derived from it may have left out. (Asked of nanobind, it would warn first.)
ArrayOperation& made_operation(nb::handle self) {
    static PyTypeObject* const own = reinterpret_cast<PyTypeObject*>(nb::type<ArrayOperation>().ptr());
    if (PyObject_TypeCheck(self.ptr(), own) == 0) {
        throw nb::type_error(("a " + kind_of(self) + " is no operation").c_str());
    }
    if (!nb::inst_ready(self)) {
        throw nb::type_error(
            "this operation has not been made: an __init__ of its class calls super().__init__(steps)");
    }
    return *nb::inst_ptr<ArrayOperation>(self);
}

// For pickle and copy. Classes derived from it may have an __init__ of their own, and more to keep.
nb::object reduced(nb::handle self) {
    const nb::object steps = nb::cast(made_operation(self).steps());
    if (self.type().is(nb::type<ArrayOperation>())) {
        return nb::make_tuple(self.type(), nb::make_tuple(steps));
    }
    return nb::make_tuple(nb::module_::import_("vfilter._functions").attr("restored"),
                          nb::make_tuple(self.type(), steps), nb::getattr(self, "__dict__", nb::none()));
}

// Of arguments that run() does not have, or not twice.
std::string wrong_call(const nb::args& given, const nb::kwargs& named) {
    constexpr const char* known[] = {"x", "out", "layout", "mask", "channels", "depth", "stream"};
    for (const auto& [key, value] : named) {
        const auto name = nb::cast<std::string>(nb::str(key));
        if (std::find(std::begin(known), std::end(known), name) == std::end(known)) {
            return "an operation has no argument '" + shortened(name) + "'";
        }
    }
    if (given.size() == 0 && !named.contains("x")) {
        return "an operation needs a picture";
    }
    return "an operation takes a picture, out, layout, mask, channels, depth and stream, each of them once";
}

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

}  // namespace vfilter_python

NB_MODULE(_vfilter, module) {
    using namespace vfilter_python;
    nb::set_leak_warnings(false);  // of what threads have that are at work when Python ends
    state = new State;
    module.attr("__version__") = vfilter_version();
    nb::register_exception_translator([](const std::exception_ptr& pointer, void*) {
        try {
            std::rethrow_exception(pointer);
        } catch (const vfilter::Error& error) {
            PyObject* const types[] = {
                nullptr,           PyExc_ValueError,   PyExc_ValueError,   PyExc_NotImplementedError,
                PyExc_MemoryError, PyExc_RuntimeError, PyExc_RuntimeError, PyExc_RuntimeError};
            const std::string text = error.what();
            const nb::object message =
                nb::steal(PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
            if (message.is_valid()) {
                PyErr_SetObject(types[error.status()], message.ptr());
            }
        }
    });
    module.def("filters", filters);
    module.def("set_empty_like", [](const nb::object& function) { state->empty_like = nb::weakref(function); });
    module.def("set_on_device", [](const nb::object& function) { state->on_device = nb::weakref(function); });
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
    module.def("stream_wait", [](int device, std::uintptr_t stream) {
        const WithoutGil meanwhile;
        vfilter::detail::check(vfilter_stream_wait(device, reinterpret_cast<void*>(stream)));
    });
    module.def(
        "set_threads",
        [](nb::object threads) {
            state->context =
                std::make_shared<const vfilter::Context>(required_argument<int>(threads, "threads", "a whole number"));
        },
        nb::arg("threads").none());
    nb::class_<ArrayOperation>(
        module, "Operation",
        "A filter or a chain of them. Made once, called for any number of pictures, by any threads.")
        .def(nb::init<nb::object>(), nb::arg("steps").none())
        .def(
            "__init__",  // whatever else is given
            [](nb::handle self, const nb::args&, const nb::kwargs&) {
                if (nb::inst_ready(self)) {
                    throw nb::type_error("an operation is made once, and this one has its steps");
                }
                throw nb::type_error(
                    "an operation is made of its steps and nothing else: a list of pairs of texts, a filter's name and "
                    "its arguments");
            })
        .def(
            "__call__",
            [](nb::handle self, nb::object x, nb::object out, nb::object layout, nb::object mask, nb::object channels,
               nb::object depth, nb::object stream) {
                return made_operation(self).run(std::move(x), std::move(out), std::move(layout), std::move(mask),
                                                std::move(channels), std::move(depth), std::move(stream));
            },
            nb::arg("x").none(), nb::arg("out") = nb::none(), nb::arg("layout") = nb::none(),
            nb::arg("mask") = nb::none(), nb::arg("channels") = nb::none(), nb::arg("depth") = nb::none(),
            nb::arg("stream") = nb::none(), "The filtered picture, of the same kind as `x`.")
        .def("__call__",
             [](nb::handle self, const nb::args& given, const nb::kwargs& named) -> nb::object {
                 made_operation(self);
                 throw nb::type_error(wrong_call(given, named).c_str());
             })
        .def("__reduce__", reduced)
        .def_prop_ro("steps", [](nb::handle self) { return made_operation(self).steps(); });
}
