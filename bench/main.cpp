// vfilter-bench: how fast is it here, and what binds it?

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
#include "io/input/complaints.h"
#include "kernels/cpu/simd.h"
#include "pipeline/report/about.h"

namespace {

using namespace vfilter;
using namespace vfilter::bench;

struct Part {
    const char* name;
    const char* help;
    Section (*measure)(const Wishes&, bench::Progress&);
};

constexpr Part parts[] = {
    {"pipeline", "a video through decoder, filter and encoder, each alone and all together, beside ffmpeg",
     measure_pipeline},
    {"kernels", "every filter over sizes, depths and resolutions, beside a copy, OpenCV, NPP and cuDNN",
     measure_kernels},
    {"ladder", "convolution from the textbook's loop to ours, and the convolution layer", measure_ladder},
    {"sweep", "on a GPU: how the time grows with a Gaussian's size, beside a copy and the tensor cores' peak",
     measure_sweep},
};

// One line that is written over again on a terminal, a line for each step elsewhere.
class Display : public bench::Progress {
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
        ++done_;
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin_).count();
        line(fmt::format("{} {}/{}, {}:{:02}: {}", part_, done_, std::max(planned_, done_), seconds / 60, seconds % 60,
                         what));
    }
    void remark(std::string_view what) override {
        clear();
        if (!quiet_) {
            std::fputs(fmt::format("{}: {}\n", part_, what).c_str(), stderr);
        }
    }
    void clear() const {
        if (terminal_ && !quiet_) {
            std::fputs("\r\x1b[K", stderr);
        }
    }

private:
    using Clock = std::chrono::steady_clock;

    void line(const std::string& text) const {
        if (quiet_) {
            return;
        }
        constexpr std::size_t most = 110;
        clear();
        std::fputs((terminal_ ? text.substr(0, most) : text + "\n").c_str(), stderr);
        std::fflush(stderr);
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
    std::vector<std::string> sizes{"720p", "1080p", "2160p"};
    std::string json;
    std::string html;
    std::string svg;
    std::vector<std::string> from;
    bool check = false;
    bool quiet = false;
    std::string command;
    Wishes wishes;
};

[[noreturn]] void fail(int code, const std::string& message) {
    std::fputs(fmt::format("vfilter-bench: {}\n", message).c_str(), stderr);
    std::exit(code);
}

constexpr int bad_usage = 2;  // as vfilter's
constexpr int missed = 1;

void describe(CLI::App& app, Request& request) {
    std::string names;
    for (const Part& part : parts) {
        names += fmt::format("\n  {:<10}{}", part.name, part.help);
    }
    app.description("Measures vfilter on this machine. Parts, all without a name:" + names);
    app.add_option("PART", request.parts, "parts to measure");
    app.add_option("--device", request.device, "cpu, cuda, cuda:N, or auto: the CPU, and a GPU if there is one");
    app.add_option("--threads", request.wishes.threads, "of decoder, encoder and CPU engine; 0: one for each processor")
        ->check(CLI::Range(0, 1024));
    app.add_option("--size", request.sizes, "of the videos that are made, comma between: 720p, 1080p, 2160p")
        ->delimiter(',');
    app.add_option("--clip", request.wishes.clip, "a video to measure with, instead of those")
        ->check(CLI::ExistingFile);
    app.add_option("--only", request.wishes.only, "only rows whose name holds this text");
    app.add_option("--rounds", request.wishes.rounds, "of the part pipeline; 3 unless told otherwise")
        ->check(CLI::Range(1, 1000));
    app.add_flag("--quick", request.wishes.quick, "fewer rows and rounds: a minute instead of many");
    app.add_option("--json", request.json, "write the figures to this file");
    app.add_option("--html", request.html, "write a report with plots to this file");
    app.add_option("--svg", request.svg, "write each plot to a file in this folder")->check(CLI::ExistingDirectory);
    app.add_option("--from", request.from, "measure nothing: take the figures of such JSON files")
        ->check(CLI::ExistingFile);
    app.add_flag("--check", request.check, "exit with 1 if a promise is not kept");
    app.add_flag("-q,--quiet", request.quiet, "no progress, no tables");
    app.set_version_flag("--version", version_text());
}

void write_file(const std::string& path, const std::string& text) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text << std::flush;
    if (!file) {
        throw std::runtime_error(path + ": cannot be written");
    }
}

// A file that cannot be written should be told before an hour's measuring.
void check_writable(const std::string& path) {
    if (!path.empty() && !std::ofstream(path, std::ios::binary | std::ios::app)) {
        fail(bad_usage, path + ": cannot be written");
    }
}

// What is wanted of devices and sizes, in the form in which the parts take it.
void settle(Request& request) {
    Wishes& wishes = request.wishes;
    if (request.parts.empty()) {
        for (const Part& part : parts) {
            request.parts.emplace_back(part.name);
        }
    }
    for (const std::string& name : request.parts) {
        if (std::ranges::none_of(parts, [&](const Part& part) { return name == part.name; })) {
            fail(bad_usage, fmt::format("there is no part '{}': pipeline, kernels, ladder, sweep", name));
        }
    }
    for (const std::string& size : request.sizes) {
        if (size != "720p" && size != "1080p" && size != "2160p") {
            fail(bad_usage, fmt::format("--size {}: 720p, 1080p or 2160p", size));
        }
        wishes.heights.push_back(std::stoi(size));
    }
    if (request.wishes.quick && request.sizes.size() == 3) {
        wishes.heights = {720};
    }
    const std::string& device = request.device;
    const bool numbered = device.starts_with("cuda:") && device.size() > 5 && device.size() < 9 &&
                          std::ranges::all_of(device.substr(5), [](char c) { return c >= '0' && c <= '9'; });
    if (device != "auto" && device != "cpu" && device != "cuda" && !numbered) {
        fail(bad_usage, fmt::format("--device {}: auto, cpu, cuda or cuda:N", device));
    }
    wishes.gpu = numbered ? std::stoi(device.substr(5)) : 0;
    wishes.cpu = device == "auto" || device == "cpu";
    std::string why;
    wishes.cuda = device != "cpu" && request.from.empty() && gpu_is_there(wishes.gpu, why);
    if (!wishes.cuda && device != "cpu" && request.from.empty()) {
        if (device != "auto") {
            fail(6, why);
        }
        if (!request.quiet) {
            std::fputs(fmt::format("vfilter-bench: only the CPU is measured: {}\n", why).c_str(), stderr);
        }
    }
}

Report measure(const Request& request) {
    Display display(request.quiet);
    Report report;
    report.title = "vfilter-bench";
    report.command = request.command;
    report.date = date_now();
    report.facts = machine_facts(request.wishes.cuda ? request.wishes.gpu : -1);
    for (const std::string& name : request.parts) {
        const Part& part = *std::ranges::find(parts, name, [](const Part& candidate) { return candidate.name; });
        display.begin(name);
        report.sections.push_back(part.measure(request.wishes, display));
        display.clear();
        if (!request.quiet) {
            std::fputs(to_text(report.sections.back()).c_str(), stdout);
            std::fflush(stdout);
        }
    }
    return report;
}

// The sections of all of them; the machine and the date are the first one's.
Report read_reports(const std::vector<std::string>& paths) {
    Report all;
    for (const std::string& path : paths) {
        std::ifstream file(path);
        nlohmann::ordered_json json;
        try {
            json = nlohmann::ordered_json::parse(file);
        } catch (const nlohmann::json::exception& error) {
            throw std::runtime_error(path + ": " + error.what());
        }
        Report report = from_json(json);
        if (all.title.empty()) {
            all = std::move(report);
        } else {
            std::ranges::move(report.sections, std::back_inserter(all.sections));
        }
    }
    return all;
}

int act(Request& request) {
    settle(request);
    if (request.from.empty()) {
        check_writable(request.json);
        check_writable(request.html);
    }
    const Report report = request.from.empty() ? measure(request) : read_reports(request.from);
    if (!request.json.empty()) {
        write_file(request.json, to_json(report).dump(1) + "\n");
    }
    if (!request.html.empty()) {
        write_file(request.html, to_html(report));
    }
    bool kept = true;
    for (const Section& section : report.sections) {
        for (const Plot& plot : section.plots) {
            if (!request.svg.empty()) {
                write_file(request.svg + "/" + plot.key + ".svg", to_svg(plot));
            }
        }
        kept = kept && std::ranges::all_of(section.promises, [](const Promise& promise) { return promise.kept(); });
    }
    return kept || !request.check ? 0 : missed;
}

}  // namespace

int main(int argc, char** argv) try {
    std::signal(SIGPIPE, SIG_IGN);
    spdlog::set_level(spdlog::level::off);
    connect_ffmpeg_log(false);
    Request request;
    request.command = "vfilter-bench";
    for (int i = 1; i < argc; ++i) {
        request.command += " " + std::string(argv[i]);
    }
    CLI::App app;
    describe(app, request);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : bad_usage;
    }
    if (const char* const simd = std::getenv("VFILTER_SIMD"); simd != nullptr && *simd != '\0') {
        force_simd_target(simd);
    }
    request.wishes.program = std::filesystem::read_symlink("/proc/self/exe").string();
    return act(request);
} catch (const std::exception& error) {
    std::fputs("vfilter-bench: ", stderr);
    std::fputs(error.what(), stderr);
    std::fputs("\n", stderr);
    return missed;
}
