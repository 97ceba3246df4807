#include "pipeline/failure.h"

#include <fmt/format.h>

#include <new>
#include <system_error>

namespace vfilter {

Failure failure_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Error& known) {
        return {known.code(), known.what()};
    } catch (const std::bad_alloc&) {
        return {ExitCode::internal, "out of memory"};
    } catch (const std::system_error& refused) {
        return {ExitCode::internal, refused.code() == std::errc::resource_unavailable_try_again
                                        ? fmt::format("the system has no more threads: {}", refused.what())
                                        : refused.what()};
    } catch (const std::exception& other) {
        return {ExitCode::internal, other.what()};
    } catch (...) {
        return {ExitCode::internal, "unknown error"};
    }
}

}  // namespace vfilter
