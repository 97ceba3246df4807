#pragma once
// Threads and the end of Python: up to 3.13 a thread that comes back to Python while that ends is ended by
// pthread_exit, which unwinds its stack: destructors would use Python's objects without the GIL, and what never throws
// would abort the process. So a thread sleeps for ever there, as from 3.14 on Python itself has it.

#include <nanobind/nanobind.h>
#include <unistd.h>

#if defined(__GLIBCXX__)
#include <cxxabi.h>
#endif

namespace vfilter_python {

namespace nb = nanobind;

/// work(), which calls Python's functions and makes nothing that has a destructor.
template <class Work>
auto in_python(const Work& work) {
#if defined(__GLIBCXX__)
    try {
        return work();
    } catch (const abi::__forced_unwind&) {
        for (;;) {
            pause();  // what is thrown must not be caught for good, and nothing is left to do
        }
    }
#else
    return work();
#endif
}

template <class... Arguments>
nb::object call(nb::handle function, const Arguments&... arguments) {
    PyObject* const given[] = {arguments.ptr()..., nullptr};
    PyObject* const made =
        in_python([&] { return PyObject_Vectorcall(function.ptr(), given, sizeof...(arguments), nullptr); });
    if (made == nullptr) {
        throw nb::python_error();
    }
    return nb::steal(made);
}

inline bool has_attribute(nb::handle object, const char* name) {
    if ((PyType_GetFlags(Py_TYPE(object.ptr())) & Py_TPFLAGS_HEAPTYPE) == 0) {
        return nb::hasattr(object,
                           name);  // which is faster, and must not be unwound, as attributes of Python's would be
    }
    return in_python([&] { return PyObject_HasAttrString(object.ptr(), name) == 1; });
}

/// Gives the GIL away while it lives.
class WithoutGil {
public:
    WithoutGil() : state_(PyEval_SaveThread()) {}
    ~WithoutGil() {
        in_python([this] { PyEval_RestoreThread(state_); });
    }
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;

private:
    PyThreadState* state_;
};

}  // namespace vfilter_python
