#include "library/call.h"

#include <algorithm>
#include <cstring>

#include "library/failure.h"

namespace vfilter {

namespace {

// What a person takes for at once, and so rare that it costs nothing.
constexpr std::chrono::milliseconds between_questions{50};
// A part that repeats much of its neighbours' work may take so many times as long, which is half a second.
constexpr int longest_part = 10;
// A part that repeats an eighth of its neighbours' work, as kernels cut pictures for threads.
constexpr int good_rows_of_around = 16;

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

int Pace::end_of_part(int first, int last, int around, const Samples& samples) const {
    const double most = std::chrono::duration<double>(between_questions).count() / seconds_;
    const auto fits = [&](int end, double times) { return static_cast<double>(samples(first, end)) <= times * most; };
    const auto grown = [&](int least, int largest, double times) {
        int rows = least;
        while (rows < largest && fits(first + std::min(2 * rows, largest), times)) {
            rows = std::min(2 * rows, largest);
        }
        return rows;
    };
    const int all = last - first;
    if (fits(last, 1)) {
        return last;
    }
    int rows = grown(2, all, 1);
    if (const int good = good_rows_of_around * around; rows < good) {
        rows = grown(rows, std::min(good, all), longest_part);
    }
    return all - rows <= rows / 2 ? last : first + (rows & ~1);
}

void Pace::took(std::chrono::duration<double> time, std::int64_t samples) {
    constexpr double most_faster = 8;  // than it seemed to be: what follows may be harder
    constexpr double least = 1e-11;
    if (samples > 0) {
        const double seconds = seconds_;
        seconds_ = std::max({time.count() / static_cast<double>(samples), seconds / most_faster, least});
    }
}

bool Pace::is_short(std::int64_t samples) const {
    return static_cast<double>(samples) * seconds_ < std::chrono::duration<double>(between_questions).count() / 10;
}

void Call::ask_between(Pace& pace, const RowBand& rows, int around, const Pace::Samples& samples,
                       const std::function<void(const RowBand&)>& work) {
    if (pace.is_short(samples(rows.first, rows.last))) {
        work(rows);
        return;
    }
    RowBand part = rows;
    while (part.first < rows.last) {
        part.last = pace.end_of_part(part.first, rows.last, around, samples);
        const auto begun = Clock::now();
        work(part);
        pace.took(Clock::now() - begun, samples(part.first, part.last));
        part.first = part.last;
        if (part.first < rows.last && given_up()) {
            return;
        }
    }
}

void Call::run(std::size_t count, const std::function<void(std::size_t)>& task) {
    if (cancelled_ == nullptr) {
        context_.run(count, task);
        return;
    }
    try {
        context_.run(
            count,
            [&](std::size_t i) {
                if (!given_up()) {
                    task(i);
                }
            },
            [this] { static_cast<void>(given_up()); });
    } catch (const Failure&) {  // as an executor's that has given up as well, and so has not called all
        if (!given_up_) {
            throw;
        }
    }
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
        try {
            given_up_ = cancelled_(data_) != 0;
        } catch (...) {  // which ends the call, and nobody is asked again
            given_up_ = true;
            asking_.clear();
            throw;
        }
    }
    asking_.clear();
    return given_up_;
}

}  // namespace vfilter
