#pragma once
// Memory that each thread has of its own.

#include <utility>

namespace vfilter {

/// The thread's own T, which is kept for its next calls. A thread that has given up what it owns, as the main one has
/// while a program's last functions run (atexit, destructors of what is static), gets another one.
template <class T>
T& of_this_thread() {
    thread_local T* made = nullptr;  // which outlives the owner
    struct Owner {
        ~Owner() { delete std::exchange(made, nullptr); }
    };
    thread_local Owner owner{};
    if (made == nullptr) {
        made = new T();
    }
    // The analyzer takes the owner for one of this call's.
    return *made;  // NOLINT(clang-analyzer-cplusplus.NewDelete)
}

}  // namespace vfilter
