#pragma once
// A call of vfilter_run that may be broken off.

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <thread>

#include "kernels/cpu/plane_filter.h"
#include "library/context.h"
#include "vfilter/vfilter.h"

namespace vfilter {

/// `given`, or what stands for NULL, with the members that the caller's version of the structure lacks. Throws Failure.
vfilter_run_options whole_options(const vfilter_run_options* given);

/// How long a filter takes, as its last calls have shown: into how long parts a call is cut. Thread-safe.
class Pace {
public:
    using Samples = std::function<std::int64_t(int first, int last)>;  ///< that rows [first, last) have

    /// Where the part of the rows [first, last) ends that begins with the first. `around`: rows next to a part some of
    /// whose work is repeated.
    [[nodiscard]] int end_of_part(int first, int last, int around, const Samples& samples) const;
    void took(std::chrono::duration<double> time, std::int64_t samples);
    /// Whether that takes so little that it need not be measured.
    [[nodiscard]] bool is_short(std::int64_t samples) const;

private:
    std::atomic<double> seconds_{1e-6};  ///< of a sample; more than any takes
};

/// Lives as long as the call, in the thread that made it.
class Call {
public:
    Call(const Context& context, const vfilter_run_options& options)
        : context_(context), cancelled_(options.cancelled), data_(options.cancelled_data) {}

    [[nodiscard]] int threads() const { return context_.threads(); }
    [[nodiscard]] Buffers& buffers() const { return context_.buffers(); }
    /// As Context::run. Throws Failure if the caller has given up; then some of the tasks were not called.
    void run(std::size_t count, const std::function<void(std::size_t)>& task);
    /// In a task: calls work() for parts of `rows` of such lengths that the caller may give up between them;
    /// for all at once of a caller who never does. Parts begin at even rows if the rows do.
    void in_parts(Pace& pace, const RowBand& rows, int around, const auto& samples, const auto& work) {
        if (cancelled_ == nullptr) {
            work(rows);
        } else {
            ask_between(pace, rows, around, std::cref(samples), std::cref(work));
        }
    }
    /// The same of what is done alike everywhere and has to do with no other rows, such as copies.
    void in_parts(const RowBand& rows, std::int64_t samples_of_row, const auto& work) {
        Pace pace;
        in_parts(
            pace, rows, 0, [&](int first, int last) { return samples_of_row * (last - first); }, work);
    }
    /// Asks the caller, now and then, whether he has given up; empty if he never does.
    [[nodiscard]] std::function<bool()> question() {
        return cancelled_ == nullptr ? std::function<bool()>() : [this] { return given_up(); };
    }
    /// Whether the caller has given up: what was to be done in parts may be done in part.
    [[nodiscard]] bool over() const { return given_up_; }

private:
    using Clock = std::chrono::steady_clock;

    [[nodiscard]] bool given_up();
    void ask_between(Pace& pace, const RowBand& rows, int around, const Pace::Samples& samples,
                     const std::function<void(const RowBand&)>& work);

    const Context& context_;
    int (*cancelled_)(void* data);
    void* data_;
    std::thread::id caller_ = std::this_thread::get_id();
    std::atomic_flag asking_;
    Clock::time_point asked_ = Clock::now();  ///< by whoever has asking_
    std::atomic<bool> given_up_ = false;
};

}  // namespace vfilter
