#include "pipeline/no_memory.h"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "config/error.h"

namespace vfilter {

namespace {

// Whether operator new has failed in this thread.
thread_local bool refused = false;

[[noreturn]] void end_out_of_memory() {
    constexpr std::string_view text = "vfilter: out of memory\n";
    [[maybe_unused]] const ssize_t wrote = ::write(STDERR_FILENO, text.data(), text.size());
    _exit(static_cast<int>(ExitCode::internal));
}

[[noreturn]] void on_terminate() {
    // What leaves a noexcept function of a library, such as libstdc++'s for folders, was not caught before it got here,
    // and nobody can say what it is.
    const bool unknown = !std::current_exception() && std::uncaught_exceptions() > 0;
    if (refused && unknown) {
        end_out_of_memory();
    }
    try {
        if (std::current_exception()) {
            throw;
        }
    } catch (const std::bad_alloc&) {
        end_out_of_memory();
    } catch (...) {  // NOLINT(bugprone-empty-catch): it ends as it would without this
    }
    std::abort();
}

}  // namespace

void end_without_memory() {
    std::set_terminate(on_terminate);
    std::set_new_handler([] {
        refused = true;
        throw std::bad_alloc();
    });
}

}  // namespace vfilter
