#include "library/call.h"

#include <algorithm>
#include <cstring>

#include "library/failure.h"

namespace vfilter {

namespace {

// What a person takes for at once, and so rare that it costs nothing.
constexpr std::chrono::milliseconds between_questions{50};

}  // namespace

vfilter_run_options whole_options(const vfilter_run_options* given) {
    vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
    if (given == nullptr) {
        return options;
    }
    if (given->struct_size < offsetof(vfilter_run_options, cancelled)) {
        throw Failure(VFILTER_ERROR_ARGUMENT, "options: their struct_size is not set");
    }
    std::memcpy(&options, given, std::min(given->struct_size, sizeof(options)));
    return options;
}

void Call::run(std::size_t count, const std::function<void(std::size_t)>& task) {
    if (cancelled_ == nullptr) {
        context_.run(count, task);
        return;
    }
    context_.run(count, [&](std::size_t i) {
        if (!given_up()) {
            task(i);
        }
    });
    if (given_up_) {
        throw Failure(VFILTER_ERROR_CANCELLED, "the caller has given up");
    }
}

bool Call::given_up() {
    if ((context_.in_callers_thread() && std::this_thread::get_id() != caller_) || asking_.test_and_set()) {
        return given_up_;
    }
    if (const auto now = Clock::now(); !given_up_ && now - asked_ >= between_questions) {
        asked_ = now;
        given_up_ = cancelled_(data_) != 0;
    }
    asking_.clear();
    return given_up_;
}

}  // namespace vfilter
