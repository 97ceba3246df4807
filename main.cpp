// The door: parse, build, run, report.

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <span>
#include <string_view>
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
#include "pipeline/report/usage_report.h"
#include "pipeline/session/pictures.h"
#include "pipeline/session/run_end.h"
#include "pipeline/session/run_reports.h"
#include "pipeline/session/session.h"
#include "pipeline/stop_signal.h"

namespace {

using namespace vfilter;

// Throws Error where a signal is the answer.
void ask_overwrite_of(const std::string& there, Options& options) {
    std::fputs(fmt::format("vfilter: already there: {}. Replace? [y/N] ", printable(there)).c_str(), stderr);
    constexpr int patience_ms = 100;  // as a signal may come right before the waiting
    pollfd asked{STDIN_FILENO, POLLIN, 0};
    while (!is_stop_asked() && poll(&asked, 1, patience_ms) <= 0) {
    }
    const int answer = is_stop_asked() ? EOF : std::getchar();
    if (is_stop_asked()) {
        std::fputs("\n", stderr);
        throw Error(code_of_signal(stop_signal()), "ended at the question, and nothing was begun");
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

// `batch` where it is one of many.
int run(Options options, Audit asked, const BatchRun* batch = nullptr) {
    // An encoder that is told which GPU to use counts them all.
    set_cuda_environment(options.device, std::ranges::any_of(options.output.encoder_options,
                                                             [](const auto& option) { return option.first == "gpu"; }));
    ProgressLine progress(options.progress, isatty(STDERR_FILENO) != 0);
    Stats stats;
    SessionHooks hooks{[&](const Outcome& so_far) { progress.show(progress_text(so_far), progress_json(so_far)); },
                       {},
                       hold_off_alarm};
    if (batch != nullptr) {
        hooks.watch = [&](const Outcome& so_far) {
            batch->sender.progress({so_far.counts.frames_out, so_far.counts.frames_expected});
        };
        hooks.checked = batch->checked;
    }
    Outcome outcome = run_session(options, stop_signal(), stats, hooks);
    progress.clear();
    complete_audit(std::move(asked), outcome.audit);

    log_end(options, outcome, stats, batch == nullptr);
    outcome.warnings = warnings_so_far();
    ReportReaders readers{.given_up = is_stop_asked};
    if (batch != nullptr) {
        readers.parent = [&](const std::string& report) { batch->sender.report(report); };
    }
    hand_out_reports(options, outcome, stats, readers);
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
                report_usage_error(arguments, error, is_stop_asked);
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
    hold_off_alarm();  // it waits for its children, which end by themselves
    const auto run_one = [arguments](Options one, const BatchRun& batch) {
        allow_alarm();
        take_as_one_signal(std::chrono::seconds(1));
        const bool bar =
            one.progress == Progress::bar || (one.progress == Progress::automatic && isatty(STDERR_FILENO));
        one.progress = Progress::none;
        set_log_prefix(fmt::format("{}vfilter: {}: ", bar ? "\r\033[K" : "", printable(one.input.path)));
        return run(std::move(one), begin_audit(arguments), &batch);
    };
    return or_report(arguments, [&] { return run_batch(options, stop_signal(), run_one, begin_audit(arguments)); });
}

int mend_part(Options options) {
    const std::string& part = options.input.path;
    if (same_file(part, options.output.path) || same_file(index_of(part), options.output.path)) {
        throw Error(ExitCode::usage, fmt::format("{}: what is mended cannot be written over", options.output.path));
    }
    ask_overwrite(options);
    const std::optional<Mended> mended = mend(options.input.path, options.output, is_stop_asked);
    if (!mended) {
        spdlog::warn("stopped: nothing is mended, and {} is as it was", part);
        return 128 + stop_signal();
    }
    spdlog::info("{}: {:.1f} s, as far as {} goes; {:.1f} MB of {} behind that are left out; both files are kept",
                 options.output.path, mended->seconds, index_of(part), static_cast<double>(mended->left_out) / 1e6,
                 part);
    return 0;
}

int act(Command command, std::span<const char* const> arguments) {
    switch (command.action) {
        case Action::help:
            print_text(help_text(command.topic));
            return 0;
        case Action::version:
            print_text(version_text());
            return 0;
        case Action::doctor:
            print_text(doctor_text());
            return 0;
        case Action::list:
            print_text(list_text(command.topic));
            return 0;
        case Action::print_config:
            print_text(write_configuration(command.options));
            return 0;
        case Action::mend:
            return mend_part(std::move(command.options));
        case Action::complete:
            print_text(completion_lines(complete(command.typed, list_text)));
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
    install_stop_signals();
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
        // A wait that a signal ended, as for a configuration in a pipe.
        return stop_signal() != 0 ? 128 + stop_signal() : static_cast<int>(failure.code);
    }
}
