#include "config/file_names.h"

#include <fmt/format.h>

#include <string_view>

#include "config/error.h"

namespace vfilter {

namespace {

constexpr std::string_view file_protocol = "file:";
constexpr std::string_view pipe_protocol = "pipe:";

/// What a pipe without a number is.
struct StandardStream {
    std::string_view name;
    std::string_view number;
    std::string_view deed;
};
constexpr StandardStream standard_input{"standard input", "0", "read"};
constexpr StandardStream standard_output{"standard output", "1", "written to"};

std::string without_protocol(const std::string& name, const StandardStream& standard) {
    const std::string_view rest = std::string_view(name).substr(name.find(':') + 1);
    if (name.starts_with(file_protocol)) {
        if (rest.empty()) {
            throw Error(ExitCode::usage, fmt::format("{}: which file?", name));
        }
        // Not an address or a graph, and not what a word here stands for: it is a file's name.
        const bool ambiguous = rest.front() == '-' || rest == "webcam" || rest.find(':') != std::string_view::npos;
        return fmt::format("{}{}", ambiguous && rest.front() != '/' ? "./" : "", rest);
    }
    if (!name.starts_with(pipe_protocol) || rest.find_first_not_of("0123456789") != std::string_view::npos) {
        return name;
    }
    if (!rest.empty() && rest != standard.number) {
        throw Error(ExitCode::usage,
                    fmt::format("{}: of pipes {} is {} alone: pipe:{} or - (a file of that name: ./{})", name,
                                standard.name, standard.deed, standard.number, name));
    }
    return "-";
}

}  // namespace

std::string input_name(const std::string& name) {
    return without_protocol(name, standard_input);
}

std::string output_name(const std::string& name) {
    return without_protocol(name, standard_output);
}

}  // namespace vfilter
