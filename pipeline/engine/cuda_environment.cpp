#include "pipeline/engine/cuda_environment.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <sstream>

namespace vfilter {

namespace {

constexpr const char* visible_name = "CUDA_VISIBLE_DEVICES";

std::optional<std::string> variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

// visible_name when it was first asked for.
const std::optional<std::string>& before() {
    static const std::optional<std::string> value = variable(visible_name);
    return value;
}

std::vector<std::string> split(const std::string& list) {
    std::vector<std::string> parts;
    std::istringstream stream(list);
    for (std::string part; std::getline(stream, part, ',');) {
        parts.push_back(std::move(part));
    }
    return parts;
}

// "cuda:1": 1.
int number_of(const std::string& name) {
    const std::size_t colon = name.find(':');
    return colon == std::string::npos ? 0 : std::stoi(name.substr(colon + 1));
}

}  // namespace

std::vector<int> gpu_numbers(const std::string& device) {
    std::vector<int> numbers;
    if (device == "all") {
        return numbers;
    }
    for (const std::string& name : split(device)) {
        numbers.push_back(number_of(name));
    }
    return numbers;
}

std::optional<std::string> visible_devices(const std::vector<int>& gpus, const std::optional<std::string>& users) {
    if (gpus.empty()) {
        return std::nullopt;
    }
    const auto count = static_cast<std::size_t>(*std::ranges::max_element(gpus)) + 1;
    if (!users) {
        std::vector<std::size_t> numbers(count);
        std::iota(numbers.begin(), numbers.end(), std::size_t{0});
        return fmt::format("{}", fmt::join(numbers, ","));
    }
    std::vector<std::string> shown = split(*users);
    if (shown.size() <= count) {
        return std::nullopt;
    }
    shown.resize(count);
    return fmt::format("{}", fmt::join(shown, ","));
}

void set_cuda_environment(const std::string& device, bool all_visible) {
    // One queue for kernels instead of several: their making is half of a context's time. Pictures are filtered one
    // after the other, whose streams gain nothing by more.
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
    // The driver registers each GPU that it may show with the kernel, a tenth of a second each.
    if (const auto visible = visible_devices(gpu_numbers(device), before()); visible && !all_visible) {
        setenv(visible_name, visible->c_str(), 1);
    }
}

std::optional<std::string> users_visible_devices() {
    return before();
}

}  // namespace vfilter
