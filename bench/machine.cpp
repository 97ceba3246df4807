#include "bench/machine.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <opencv2/core/utility.hpp>

#include "kernels/cpu/simd.h"
#include "pipeline/engine/filter_engine.h"
#include "pipeline/report/about.h"
#ifdef VFILTER_WITH_CUDA
#include "bench/gpu.h"
#endif

namespace vfilter::bench {

namespace {

// The value of the first line "KEY<separator>VALUE" of a file of such lines, "" if there is none.
std::string value_in(const char* path, const std::string& key, char separator) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        const auto at = line.find(separator);
        if (!line.starts_with(key) || at == std::string::npos) {
            continue;
        }
        std::string value = line.substr(at + 1);
        const auto drop = [](char c) { return c == ' ' || c == '\t' || c == '"'; };
        while (!value.empty() && drop(value.front())) {
            value.erase(0, 1);
        }
        while (!value.empty() && drop(value.back())) {
            value.pop_back();
        }
        return value;
    }
    return {};
}

std::string one_line(std::string text) {
    while (text.ends_with('\n')) {
        text.pop_back();
    }
    for (auto at = text.find('\n'); at != std::string::npos; at = text.find('\n')) {
        text.replace(at, 1, "; ");
    }
    return text;
}

// "6.1" of "6.1.0-18-amd64".
std::string version_of(const utsname& system) {
    const std::string release = system.release;
    return release.substr(0, release.find('.', release.find('.') + 1));
}

}  // namespace

std::vector<Fact> machine_facts([[maybe_unused]] int gpu) {
    utsname system{};
    uname(&system);
    const std::string memory = value_in("/proc/meminfo", "MemTotal", ':');
    std::vector<Fact> facts{
        {"processor", "Processor", value_in("/proc/cpuinfo", "model name", ':')},
        {"processors", "Processors", std::to_string(cv::getNumberOfCPUs())},
        {"simd", "SIMD", simd_target()},
        {"memory", "Memory", memory.empty() ? "" : fmt::format("{:.0f} GiB", std::stod(memory) / 1048576)},
        {"system", "System",
         fmt::format("{}, {} {}", value_in("/etc/os-release", "PRETTY_NAME", '='), system.sysname, version_of(system))},
        {"versions", "Versions", one_line(version_text())},
        {"commit", "Commit", VFILTER_COMMIT},
    };
#ifdef VFILTER_WITH_CUDA
    if (gpu >= 0) {
        for (Fact& fact : gpu_facts(gpu)) {
            facts.push_back(std::move(fact));
        }
    }
#endif
    std::erase_if(facts, [](const Fact& fact) { return fact.value.empty(); });
    return facts;
}

bool gpu_is_there(int gpu, std::string& why) {
    try {
        why.clear();
        choose_device(fmt::format("cuda:{}", gpu), 1);
        return true;
    } catch (const Error& error) {
        why = error.what();
        return false;
    }
}

std::string date_now() {
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm utc{};
    gmtime_r(&now, &utc);
    std::array<char, 32> text{};
    std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &utc);
    return text.data();
}

}  // namespace vfilter::bench
