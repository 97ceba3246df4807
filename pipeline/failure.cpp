#include "pipeline/failure.h"

#include <new>

namespace vfilter {

Failure failure_of(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const Error& known) {
        return {known.code(), known.what()};
    } catch (const std::bad_alloc&) {
        return {ExitCode::internal, "out of memory"};
    } catch (const std::exception& other) {
        return {ExitCode::internal, other.what()};
    } catch (...) {
        return {ExitCode::internal, "unknown error"};
    }
}

}  // namespace vfilter
