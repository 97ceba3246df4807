#include "pipeline/no_memory.h"

#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "config/error.h"

namespace vfilter {

namespace {

[[noreturn]] void on_terminate() {
    try {
        if (std::current_exception()) {
            throw;
        }
    } catch (const std::bad_alloc&) {
        constexpr std::string_view text = "vfilter: out of memory\n";
        [[maybe_unused]] const ssize_t wrote = ::write(STDERR_FILENO, text.data(), text.size());
        _exit(static_cast<int>(ExitCode::internal));
    } catch (...) {  // NOLINT(bugprone-empty-catch): it ends as it would without this
    }
    std::abort();
}

}  // namespace

void end_without_memory() {
    std::set_terminate(on_terminate);
}

}  // namespace vfilter
