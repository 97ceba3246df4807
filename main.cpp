// The door: parse, build, run, report.

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <span>

#include "config/command_line.h"
#include "config/configuration.h"
#include "config/help.h"
#include "config/presets.h"
#include "kernels/cpu/simd.h"
#include "pipeline/about.h"
#include "pipeline/progress.h"
#include "pipeline/report.h"
#include "pipeline/session.h"

namespace {

using namespace vfilter;

std::atomic<int> stop_signal{0};

// First signal: a clean end. Second: at once, leaving the .part.
extern "C" void on_signal(int number) {
    int none = 0;
    if (!stop_signal.compare_exchange_strong(none, number)) {
        _exit(128 + number);
    }
}

void install_signal_handlers() {
    struct sigaction action {};
    action.sa_handler = on_signal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
}

void set_up_log(LogLevel level) {
    auto logger = spdlog::stderr_logger_mt("vfilter");
    logger->set_pattern("vfilter: %v");
    constexpr spdlog::level::level_enum levels[] = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                                    spdlog::level::err, spdlog::level::off};
    logger->set_level(levels[static_cast<std::size_t>(level)]);
    spdlog::set_default_logger(logger);
    connect_ffmpeg_log(level == LogLevel::debug);
}

void print(const std::string& text) {
    if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
        throw Error(ExitCode::output, "standard output cannot be written");
    }
}

// On a terminal, and only there, a person can say whether a file is to be replaced.
void ask_overwrite(Options& options) {
    const std::string& path = options.output.path;
    if (options.output.overwrite != Overwrite::ask || path == "-" || options.input.path == "-" ||
        !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO) || !is_regular_file(path)) {
        return;
    }
    std::fputs(fmt::format("vfilter: {} exists. Replace it? [y/N] ", path).c_str(), stderr);
    const int answer = std::getchar();
    options.output.overwrite = answer == 'y' || answer == 'Y' ? Overwrite::yes : Overwrite::no;
}

int run(Options options) {
    ask_overwrite(options);
    ProgressLine progress(options.progress, isatty(STDERR_FILENO) != 0);
    Stats stats;
    const SessionHooks hooks{[&](const Outcome& so_far) { progress.show(so_far); }, {}};
    const Outcome outcome = run_session(options, stop_signal, stats, hooks);
    progress.clear();

    if (!outcome.message.empty()) {
        spdlog::error("{}", outcome.message);
        if (!outcome.kept_part.empty()) {
            spdlog::error("what was written up to there is kept as {}", outcome.kept_part);
        }
    } else {
        if (const std::string damage = damage_text(outcome.damage); !damage.empty()) {
            spdlog::warn("the input is damaged: {}", damage);
        }
        if (!outcome.verified_summary.empty()) {
            spdlog::info("{}", outcome.verified_summary);
        }
        if (const std::string drops = drops_text(outcome); !drops.empty()) {
            spdlog::warn("pictures left out: {}", drops);
        }
        spdlog::info("{}", summary_line(options, outcome, stats));
        if (!outcome.same_again.empty()) {
            spdlog::info("the same again: {}", outcome.same_again);
        }
    }
    try {
        if (options.stats == StatsFormat::json) {
            print(report_json(options, outcome, stats));
        } else if (options.stats == StatsFormat::text) {
            std::fputs(stats_text(outcome, stats).c_str(), stderr);
        }
        // Bad usage opens nothing: the report's name may be what was wrong.
        if (!options.report.empty() && outcome.code != ExitCode::usage) {
            write_text_file(options.report, report_json(options, outcome, stats));
        }
    } catch (const Error& error) {
        spdlog::error("{}", error.what());
        return static_cast<int>(outcome.message.empty() ? error.code() : outcome.code);
    }
    return static_cast<int>(outcome.code);
}

int act(Command command) {
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
            print(command.topic == "presets" ? preset_list() : list_text(command.topic));
            return 0;
        case Action::print_config:
            print(write_configuration(command.options));
            return 0;
        case Action::run:
            return run(std::move(command.options));
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
    try {
        // For tests and for tracking down a machine: the name of an instruction set of --list devices.
        if (const char* const simd = std::getenv("VFILTER_SIMD"); simd != nullptr && *simd != '\0') {
            try {
                vfilter::force_simd_target(simd);
            } catch (const std::invalid_argument& error) {
                throw vfilter::Error(vfilter::ExitCode::usage, fmt::format("VFILTER_SIMD: {}", error.what()));
            }
        }
        Command command = parse_command_line(
            std::span<const char* const>(argv + 1, static_cast<std::size_t>(argc > 0 ? argc - 1 : 0)));
        set_up_log(command.options.log_level);
        return act(std::move(command));
    } catch (const Error& error) {
        std::fputs(fmt::format("vfilter: {}\n", error.what()).c_str(), stderr);
        return static_cast<int>(error.code());
    } catch (const std::exception& error) {
        std::fputs(fmt::format("vfilter: {}\n", error.what()).c_str(), stderr);
        return static_cast<int>(ExitCode::internal);
    }
}
