// The program around the parts: command line, progress, files, exit code.

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "bench/bench.h"
#include "bench/machine.h"
#include "io/log/complaints.h"
#include "kernels/cpu/simd.h"
#include "pipeline/report/about.h"

namespace vfilter::bench {

namespace {

// Exit codes: as vfilter's, and for promises that --check did not find kept.
constexpr int missed = 1;
constexpr int bad_usage = 2;
constexpr int no_device = 6;

struct Failure : std::runtime_error {
    Failure(int exit_code, const std::string& what) : std::runtime_error(what), code(exit_code) {}
    int code;
};

// One line that is written over again on a terminal, a line for each step elsewhere.
class Display : public Progress {
public:
    explicit Display(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) != 0) {}
    ~Display() override { clear(); }
    Display(const Display&) = delete;
    Display& operator=(const Display&) = delete;

    void begin(std::string part) {
        part_ = std::move(part);
        planned_ = done_ = 0;
    }
    void plan(std::size_t steps) override { planned_ += steps; }
    void step(std::string_view what) override {
        constexpr std::size_t terminal_width = 110;
        ++done_;
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin_).count();
        const std::string text = fmt::format("{} {}/{}, {}:{:02}: {}", part_, done_, std::max(planned_, done_),
                                             seconds / 60, seconds % 60, what);
        clear();
        write(terminal_ ? text.substr(0, terminal_width) : text + "\n");
    }
    void remark(std::string_view what) override {
        clear();
        write(fmt::format("{}: {}\n", part_, what));
    }
    void clear() const {
        if (terminal_) {
            write("\r\x1b[K");
        }
    }

private:
    using Clock = std::chrono::steady_clock;

    void write(const std::string& text) const {
        if (!quiet_) {
            std::fputs(text.c_str(), stderr);
            std::fflush(stderr);
        }
    }

    bool quiet_;
    bool terminal_;
    std::string part_;
    std::size_t planned_ = 0;
    std::size_t done_ = 0;
    Clock::time_point begin_ = Clock::now();
};

struct Request {
    std::vector<std::string> parts;
    std::string device = "auto";
    std::string json;
    bool check = false;
    bool quiet = false;
    Wishes wishes;
};

std::string names_of(const Program& program) {
    std::vector<std::string> names;
    std::ranges::transform(program.parts, std::back_inserter(names), &Part::name);
    return fmt::format("{}", fmt::join(names, ", "));
}

void describe(const Program& program, CLI::App& app, Request& request) {
    std::string help = fmt::format("{} Parts, all without a name:", program.description);
    for (const Part& part : program.parts) {
        help += fmt::format("\n  {:<10}{}", part.name, part.help);
    }
    Wishes& wishes = request.wishes;
    app.description(help);
    app.add_option("PART", request.parts, "parts to measure");
    app.add_option("--device", request.device, "cpu, cuda, cuda:N, or auto: the CPU, and a GPU if there is one");
    app.add_option("--threads", wishes.threads, "of decoder, encoder and CPU engine; 0: one for each processor")
        ->check(CLI::Range(0, 1024));
    app.add_option("--only", wishes.only, "only rows whose name holds this text");
    app.add_flag("--quick", wishes.quick, "fewer rows and rounds: a minute instead of many");
    app.add_option("--json", request.json, "write the figures to this file, of which bench/pages.py makes a page");
    app.add_flag("--check", request.check, "exit with 1 if a promise is not kept");
    app.add_flag("-q,--quiet", request.quiet, "no progress, no tables");
    app.set_version_flag("--version", version_text());
    program.add_options(app, wishes);
}

void settle_parts(const Program& program, Request& request) {
    for (const std::string& name : request.parts) {
        if (std::ranges::none_of(program.parts, [&](const Part& part) { return name == part.name; })) {
            throw Failure(bad_usage, fmt::format("there is no part '{}': {}", name, names_of(program)));
        }
    }
    if (request.parts.empty()) {
        std::ranges::transform(program.parts, std::back_inserter(request.parts), &Part::name);
    }
}

// Which devices are measured.
void settle_device(const Program& program, Request& request) {
    const std::string& device = request.device;
    const bool numbered = device.starts_with("cuda:") && device.size() > 5 && device.size() < 9 &&
                          std::ranges::all_of(device.substr(5), [](char c) { return c >= '0' && c <= '9'; });
    if (device != "auto" && device != "cpu" && device != "cuda" && !numbered) {
        throw Failure(bad_usage, fmt::format("--device {}: auto, cpu, cuda or cuda:N", device));
    }
    Wishes& wishes = request.wishes;
    std::string why;
    wishes.gpu = numbered ? std::stoi(device.substr(5)) : 0;
    wishes.cpu = device == "auto" || device == "cpu";
    wishes.cuda = device != "cpu" && gpu_is_there(wishes.gpu, why);
    if (wishes.cuda || device == "cpu") {
        return;
    }
    if (device != "auto") {
        throw Failure(no_device, why);
    }
    if (!request.quiet) {
        std::fputs(fmt::format("{}: only the CPU is measured: {}\n", program.name, why).c_str(), stderr);
    }
}

// A file that cannot be written should be told before an hour's measuring.
void check_writable(const std::string& path) {
    if (!path.empty() && !std::ofstream(path, std::ios::binary | std::ios::app)) {
        throw Failure(bad_usage, path + ": cannot be written");
    }
}

void write_json(const std::string& path, const Report& report) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    // Names of files need not be UTF-8.
    file << to_json(report).dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << std::endl;
    if (!file) {
        throw std::runtime_error(path + ": cannot be written");
    }
}

void measure(const Program& program, const Request& request, Report& report) {
    Display display(request.quiet);
    for (const std::string& name : request.parts) {
        const auto part = std::ranges::find_if(program.parts, [&](const Part& one) { return name == one.name; });
        display.begin(name);
        report.sections.push_back(part->measure(request.wishes, display));
        display.clear();
        if (!request.quiet) {
            std::fputs(to_text(report.sections.back()).c_str(), stdout);
            std::fflush(stdout);
        }
    }
}

int act(const Program& program, Request& request, const std::string& command) {
    settle_parts(program, request);
    settle_device(program, request);
    check_writable(request.json);
    Report report{program.name, command, date_now(), machine_facts(request.wishes.cuda ? request.wishes.gpu : -1), {}};
    measure(program, request, report);
    if (!request.json.empty()) {
        write_json(request.json, report);
    }
    const bool kept = std::ranges::all_of(
        report.sections, [](const Section& section) { return std::ranges::all_of(section.promises, &Promise::kept); });
    return kept || !request.check ? 0 : missed;
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) try {
    std::signal(SIGPIPE, SIG_IGN);
    spdlog::set_level(spdlog::level::off);
    connect_ffmpeg_log(false);
    Request request;
    CLI::App app;
    describe(program, app, request);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : bad_usage;
    }
    if (const char* const simd = std::getenv("VFILTER_SIMD"); simd != nullptr && *simd != '\0') {
        force_simd_target(simd);
    }
    request.wishes.program = std::filesystem::read_symlink("/proc/self/exe").string();
    std::string command = program.name;
    for (int i = 1; i < argc; ++i) {
        command += std::string(" ") + argv[i];
    }
    return act(program, request, command);
} catch (const Failure& failure) {
    std::fputs(fmt::format("{}: {}\n", program.name, failure.what()).c_str(), stderr);
    return failure.code;
} catch (const std::exception& error) {
    std::fputs(fmt::format("{}: {}\n", program.name, error.what()).c_str(), stderr);
    return missed;
}

}  // namespace vfilter::bench
