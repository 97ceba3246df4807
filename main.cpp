// The door: parse, build, run, report.

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <system_error>
#include <vector>

#include "config/command_line.h"
#include "config/completion.h"
#include "config/configuration.h"
#include "config/help.h"
#include "config/printable.h"
#include "io/output/output_file.h"
#include "io/output/part_index.h"
#include "io/output/part_mending.h"
#include "io/preview/window_thread.h"
#include "io/source.h"
#include "kernels/cpu/simd.h"
#include "pipeline/batch/batch.h"
#include "pipeline/batch/batch_plan.h"
#include "pipeline/batch/beside_videos.h"
#include "pipeline/engine/cuda_environment.h"
#include "pipeline/failure.h"
#include "pipeline/no_memory.h"
#include "pipeline/report/about.h"
#include "pipeline/report/audit.h"
#include "pipeline/report/log.h"
#include "pipeline/report/progress.h"
#include "pipeline/report/report.h"
#include "pipeline/report/summary.h"
#include "pipeline/report/usage_report.h"
#include "pipeline/session/named_files.h"
#include "pipeline/session/pictures.h"
#include "pipeline/session/run_end.h"
#include "pipeline/session/session.h"

namespace {

using namespace vfilter;

std::atomic<int> stop_signal{0};
std::atomic<std::int64_t> stop_time{0};  // when it came, milliseconds
std::atomic<bool> finishing{false};      // all is written, and only the disk is waited for
std::atomic<std::int64_t> at_once{50};   // milliseconds within which a second signal is the first one still

// First signal: a clean end. Second: at once, leaving the .part. So it is, too, where after two seconds something does
// not even come to look whether it should end: a library that hangs while it is opened.
// `timeout` sends the same signal twice, to its child and to its group: what comes at once is the first one still. So
// it is, for a second, of one of many files: a signal to all processes of this name comes to it itself, and by its
// parent.
extern "C" void on_signal(int number) {
    constexpr unsigned seconds = 2;
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const std::int64_t time = std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
    std::int64_t never = 0;
    stop_time.compare_exchange_strong(never, time);
    int none = 0;
    if (!stop_signal.compare_exchange_strong(none, number)) {
        if (number == SIGHUP && none == SIGHUP) {
            return;  // a shell and the kernel both tell that a terminal is gone
        }
        if (time - stop_time > at_once) {
            _exit(128 + number);
        }
        return;
    }
    if (!finishing) {
        alarm(seconds);
    }
}

extern "C" void on_alarm(int /*number*/) {
    _exit(128 + stop_signal.load());
}

void install_signal_handlers() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction hangup {};
    if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) {  // nohup has it ignored
        sigaction(SIGHUP, &action, nullptr);
    }
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // writing fails as it does on a full disk
}

void print(const std::string& text) {
    if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
        throw Error(ExitCode::output, "standard output cannot be written");
    }
}

// Throws Error where a signal is the answer.
void ask_overwrite_of(const std::string& there, Options& options) {
    std::fputs(fmt::format("vfilter: already there: {}. Replace? [y/N] ", printable(there)).c_str(), stderr);
    constexpr int patience_ms = 100;  // as a signal may come right before the waiting
    pollfd asked{STDIN_FILENO, POLLIN, 0};
    while (stop_signal == 0 && poll(&asked, 1, patience_ms) <= 0) {
    }
    const int answer = stop_signal == 0 ? std::getchar() : EOF;
    if (stop_signal != 0) {
        std::fputs("\n", stderr);
        throw Error(code_of_signal(stop_signal), "ended at the question, and nothing was begun");
    }
    options.output.overwrite = answer == 'y' || answer == 'Y' ? Overwrite::yes : Overwrite::no;
}

// On a terminal, and only there, a person can say whether a file is to be replaced.
void ask_overwrite(Options& options) {
    if (options.output.overwrite != Overwrite::ask || options.output.path == "-" || options.input.path == "-" ||
        !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
        return;
    }
    if (const std::string there = existing_output(options); !there.empty()) {
        ask_overwrite_of(there, options);
    }
}

// Not where its name is what was wrong.
bool may_write_report(const Options& options) {
    try {
        check_named_files(options);
        return true;
    } catch (const Error& error) {
        return error.code() == ExitCode::input;  // one that is not there
    }
}

// Whether there was any.
bool tell_damage(const Damage& damage) {
    const std::string text = damage_text(damage);
    if (!text.empty()) {
        spdlog::warn("{} damaged: {}", damaged_files(damage), text);
    }
    return !text.empty();
}

void tell_failure(const Outcome& outcome) {
    const RunEnd& end = outcome.end;
    spdlog::error("{}", end.message);
    if (!end.kept_part.empty()) {
        spdlog::error("what was written up to there is kept as {}{}", end.kept_part,
                      has_index(end.kept_part) ? "; --mend makes it playable" : "");
    }
    tell_damage(outcome.damage);
    if (outcome.live.is_live && end.abandoned > 0) {
        spdlog::warn("{} pictures were on their way and are left out", end.abandoned);
    }
}

void tell_end(const Options& options, const Outcome& outcome) {
    if (outcome.end.abandoned > 0) {
        spdlog::warn("{} pictures had not come out of the encoder a second after the signal and are left out",
                     outcome.end.abandoned);
    }
    if (tell_damage(outcome.damage)) {
        for (const std::string& note : outcome.damage.notes) {
            spdlog::warn("  {}", note);
        }
    }
    if (outcome.counts.packets_lost > 0) {
        spdlog::warn("{}: at least {} packets were lost while it was away", shown_name(options.output.path),
                     outcome.counts.packets_lost);
    }
    if (outcome.verified) {
        spdlog::info("{}", summary_of(*outcome.verified));
    }
}

// To all who asked for one, each by itself: a full disk behind one costs nobody the others. `batch` where it is one of
// many.
void hand_out_reports(const Options& options, Outcome& outcome, const Stats& stats, const BatchRun* batch) {
    const bool harmless = may_write_report(options);
    const auto hand_out = [&](const auto& action) {
        try {
            action();
            return true;
        } catch (const Error& error) {
            spdlog::error("{}", error.what());
            if (outcome.end.message.empty()) {
                outcome.end.code = error.code();
                outcome.end.message = error.what();
            }
            return false;
        }
    };
    hand_out([&] {
        if (batch != nullptr) {
            batch->sender.report(report_json(options, outcome, stats));
        }
    });
    const auto write_report = [&] {
        if (!options.report.empty() && harmless) {
            write_text_file(options.report, report_json(options, outcome, stats), [] { return stop_signal != 0; });
        }
    };
    const bool reported = hand_out(write_report);
    const bool printed = hand_out([&] {
        if (options.stats == StatsFormat::json && harmless) {
            print(report_json(options, outcome, stats));
        } else if (options.stats == StatsFormat::text) {
            std::fputs(stats_text(outcome, stats).c_str(), stderr);
        }
    });
    if (reported && !printed) {
        hand_out(write_report);  // which said that all was well
    }
}

// `batch` where it is one of many.
int run(Options options, Audit asked, const BatchRun* batch = nullptr) {
    // An encoder that is told which GPU to use counts them all.
    set_cuda_environment(options.device, std::ranges::any_of(options.output.encoder_options,
                                                             [](const auto& option) { return option.first == "gpu"; }));
    ProgressLine progress(options.progress, isatty(STDERR_FILENO) != 0);
    Stats stats;
    SessionHooks hooks{[&](const Outcome& so_far) { progress.show(progress_text(so_far), progress_json(so_far)); },
                       {},
                       [] {
                           finishing = true;
                           alarm(0);
                       }};
    if (batch != nullptr) {
        hooks.watch = [&](const Outcome& so_far) {
            batch->sender.progress({so_far.counts.frames_out, so_far.counts.frames_expected});
        };
        hooks.checked = batch->checked;
    }
    Outcome outcome = run_session(options, stop_signal, stats, hooks);
    progress.clear();
    complete_audit(std::move(asked), outcome.audit);

    if (const std::string drops = drops_text(outcome.live.drops); !drops.empty()) {
        spdlog::warn("pictures left out: {}", drops);
    }
    if (outcome.end.message.empty()) {
        tell_end(options, outcome);
        if (batch == nullptr) {
            spdlog::info("{}", summary_line(options, outcome, stats));
        }
        if (!outcome.setup.same_again.empty()) {
            spdlog::info("the same again: {}", outcome.setup.same_again);
        }
    } else {
        tell_failure(outcome);
    }
    outcome.warnings = warnings_so_far();
    hand_out_reports(options, outcome, stats, batch);
    progress.end(progress_end(outcome));
    if (outcome.end.hung || WindowThread::lost_any()) {
        // A thread of a codec or a toolkit sleeps for ever: what ends a program in the usual way would wait for it.
        std::fflush(nullptr);
        _exit(static_cast<int>(outcome.end.code));
    }
    return static_cast<int>(outcome.end.code);
}

// An error before anything was begun is in the report that was asked for, too.
template <class Action>
auto or_report(std::span<const char* const> arguments, const Action& action) {
    const pid_t self = getpid();
    try {
        return action();
    } catch (const Error& error) {
        try {
            if (getpid() == self) {  // and not one of a batch's children
                report_usage_error(arguments, error, [] { return stop_signal != 0; });
            }
        } catch (const Error& unwritten) {
            if (error.code() == ExitCode::output) {
                throw error;  // which is what is wrong with the report's name, or as good
            }
            std::fputs(fmt::format("vfilter: {}\n", printable_message(unwritten.what())).c_str(), stderr);
        }
        throw;
    }
}

int run_file(Options options, std::span<const char* const> arguments) {
    or_report(arguments, [&] { ask_overwrite(options); });
    return run(std::move(options), begin_audit(arguments));
}

void ask_overwrite_of_files(Options& options) {
    if (options.output.overwrite == Overwrite::ask && isatty(STDIN_FILENO) && isatty(STDERR_FILENO)) {
        if (const std::string there = existing_outputs(options); !there.empty() && !options.batch.skip_existing) {
            ask_overwrite_of(there, options);
        }
    }
}

int run_files(Options options, std::span<const char* const> arguments) {
    pass_over_others(options);
    or_report(arguments, [&] { ask_overwrite_of_files(options); });
    finishing = true;  // it waits for its children, which end by themselves
    constexpr std::int64_t one_second = 1000;
    const auto run_one = [arguments](Options one, const BatchRun& batch) {
        finishing = false;
        at_once = one_second;
        const bool bar =
            one.progress == Progress::bar || (one.progress == Progress::automatic && isatty(STDERR_FILENO));
        one.progress = Progress::none;
        set_log_prefix(fmt::format("{}vfilter: {}: ", bar ? "\r\033[K" : "", printable(one.input.path)));
        return run(std::move(one), begin_audit(arguments), &batch);
    };
    return or_report(arguments, [&] { return run_batch(options, stop_signal, run_one, begin_audit(arguments)); });
}

int mend_part(Options options) {
    const std::string& part = options.input.path;
    if (same_file(part, options.output.path) || same_file(index_of(part), options.output.path)) {
        throw Error(ExitCode::usage, fmt::format("{}: what is mended cannot be written over", options.output.path));
    }
    ask_overwrite(options);
    const std::optional<Mended> mended =
        mend(options.input.path, options.output, [] { return stop_signal.load() != 0; });
    if (!mended) {
        spdlog::warn("stopped: nothing is mended, and {} is as it was", part);
        return 128 + stop_signal;
    }
    spdlog::info("{}: {:.1f} s, as far as {} goes; {:.1f} MB of {} behind that are left out; both files are kept",
                 options.output.path, mended->seconds, index_of(part), static_cast<double>(mended->left_out) / 1e6,
                 part);
    return 0;
}

int act(Command command, std::span<const char* const> arguments) {
    switch (command.action) {
        case Action::help:
            print(help_text(command.topic));
            return 0;
        case Action::version:
            print(version_text());
            return 0;
        case Action::doctor:
            print(doctor_text());
            return 0;
        case Action::list:
            print(list_text(command.topic));
            return 0;
        case Action::print_config:
            print(write_configuration(command.options));
            return 0;
        case Action::mend:
            return mend_part(std::move(command.options));
        case Action::complete:
            print(completion_lines(complete(command.typed, list_text)));
            return 0;
        case Action::run:
            return command.options.batch.folder.empty() ? run_file(std::move(command.options), arguments)
                                                        : run_files(std::move(command.options), arguments);
    }
    throw std::logic_error("act: not an action");
}

// A program started without one of the three would give its number to the next file that it opens, and log into that.
// The other direction than is usual, so that using it fails as it should.
void fill_missing_descriptors() {
    for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (fcntl(descriptor, F_GETFD) < 0 &&
            open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor) {
            _exit(static_cast<int>(ExitCode::internal));
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    fill_missing_descriptors();
    install_signal_handlers();
    end_without_memory();
    try {
        // For tests and for tracking down a machine: the name of an instruction set of --list devices.
        if (const char* const simd = std::getenv("VFILTER_SIMD"); simd != nullptr && *simd != '\0') {
            try {
                vfilter::force_simd_target(simd);
            } catch (const std::invalid_argument& error) {
                throw vfilter::Error(vfilter::ExitCode::usage, fmt::format("VFILTER_SIMD: {}", error.what()));
            }
        }
        const std::span<const char* const> arguments(argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0));
        Command command = or_report(arguments, [&] { return parse_command_line(arguments); });
        set_up_log(command.options.log_level);
        return act(std::move(command), arguments);
    } catch (...) {
        const Failure failure = failure_of(std::current_exception());
        std::fputs(fmt::format("vfilter: {}\n", printable_message(failure.message)).c_str(), stderr);
        return static_cast<int>(failure.code);
    }
}
