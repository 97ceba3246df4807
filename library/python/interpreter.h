#pragma once
// Threads and the end of Python: up to 3.13 a thread that comes back to Python while that ends is ended by
// pthread_exit, which unwinds its stack: destructors would use Python's objects without the GIL, and what never throws
// would abort the process. So a thread sleeps for ever there, as from 3.14 on Python itself has it.

#include <nanobind/nanobind.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

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

/// Throws what is no AttributeError, such as Ctrl-C's.
inline bool has_attribute(nb::handle object, const char* name) {
    enum class Found { no, yes, error };
    const Found found = in_python([&] {
        PyObject* const attribute = PyObject_GetAttrString(object.ptr(), name);
        if (attribute != nullptr) {
            Py_DECREF(attribute);
            return Found::yes;
        }
        if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) {
            return Found::error;
        }
        PyErr_Clear();
        return Found::no;
    });
    if (found == Found::error) {
        throw nb::python_error();
    }
    return found == Found::yes;
}

/// Python's handlers of signals run in its main thread alone; a thread that is another's would wait for the GIL in
/// vain.
inline bool in_main_thread() {
    // Asked once in a process, as calls of the system take longer than small pictures, and so, as gettid() is glibc
    // 2.30's. The thread that forks is the child's main one, whichever it was.
    static std::atomic<int> forks = 0;
    static const int told = pthread_atfork(nullptr, nullptr, [] { ++forks; });
    thread_local int process = -1;
    thread_local bool main = false;
    if (const int now = forks; process != now || told != 0) {
        main = getpid() == syscall(SYS_gettid);
        process = now;
    }
    return main;
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
