#include "pipeline/report/audit.h"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>
#include <utility>

#include "config/shell_word.h"
#include "io/source.h"

namespace vfilter {

namespace {

// Parts of keys of FFmpeg's options whose values are nobody's business.
constexpr std::string_view secret_keys[] = {"password", "passphrase", "key",     "token",
                                            "user",     "headers",    "cookies", "auth"};

constexpr std::string_view pair_options[] = {"--input-option", "--add-option", "--muxer-option"};

std::string without_secret(std::string_view pair) {
    const std::string_view key = pair.substr(0, pair.find('='));
    const auto is_in_key = [key](std::string_view secret) { return key.find(secret) != std::string_view::npos; };
    return std::ranges::any_of(secret_keys, is_in_key) ? fmt::format("{}=...", key) : shown_name(pair);
}

std::string shown_argument(std::string_view argument, std::string_view before) {
    for (const std::string_view option : pair_options) {
        const std::size_t pair = option.size() + 1;
        if (before == option) {
            return without_secret(argument);
        }
        if (argument.starts_with(option) && argument.size() > pair && argument[pair - 1] == '=') {
            return fmt::format("{}={}", option, without_secret(argument.substr(pair)));
        }
    }
    return shown_name(argument);
}

}  // namespace

std::string utc_time() {
    const auto now = std::chrono::system_clock::now();
    const auto milliseconds =
        std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count() % 1000;
    return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(std::chrono::system_clock::to_time_t(now)),
                       milliseconds);
}

std::string shown_command_line(std::span<const char* const> arguments) {
    std::string line = "vfilter";
    std::string_view before;
    for (const std::string_view argument : arguments) {
        line += " " + shell_word(shown_argument(argument, before));
        before = argument;
    }
    return line;
}

Audit begin_audit(std::span<const char* const> arguments) {
    std::array<char, 256> host{};
    gethostname(host.data(), host.size() - 1);
    return {.command_line = shown_command_line(arguments),
            .host = host.data(),
            .started = utc_time(),
            .ended = {},
            .input_sha256 = {},
            .added_sha256 = {},
            .appended_sha256 = {},
            .output_sha256 = {},
            .regions = {}};
}

void complete_audit(Audit asked, Audit& audit) {
    asked.ended = utc_time();
    asked.input_sha256 = std::move(audit.input_sha256);
    asked.added_sha256 = std::move(audit.added_sha256);
    asked.appended_sha256 = std::move(audit.appended_sha256);
    asked.output_sha256 = std::move(audit.output_sha256);
    asked.regions = std::move(audit.regions);
    audit = std::move(asked);
}

}  // namespace vfilter
