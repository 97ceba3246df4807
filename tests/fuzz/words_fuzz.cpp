// What users write: command lines, configuration files, tracks of regions. It is refused in one sentence, or it means
// the same again once it is written out.

#include <sstream>

#include "config/command_line.h"
#include "config/command_text.h"
#include "config/configuration.h"
#include "config/error.h"
#include "filters/region.h"
#include "filters/tracks.h"
#include "tests/fuzz/fuzz.h"

namespace vfilter::fuzz {

namespace {

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);) {
        lines.push_back(line.substr(0, line.find('\0')));  // words of a command line end there
    }
    return lines;
}

Command parse(const std::vector<std::string>& words) {
    std::vector<const char*> pointers;
    for (const std::string& word : words) {
        pointers.push_back(word.c_str());
    }
    return parse_command_line(pointers);
}

void same_again(const Options& options) {
    std::string written;
    try {
        written = write_configuration(options);
    } catch (const Error&) {
        return;  // not UTF-8
    }
    const std::span bytes(reinterpret_cast<const std::uint8_t*>(written.data()), written.size());
    Command again;
    try {
        read_configuration(file_of(bytes, ".toml"), again);
    } catch (const Error& error) {
        demand(false, fmt::format("{}\nis read back: {}", written, error.what()));
    }
    demand(write_configuration(again.options) == written,
           fmt::format("{}\nis the same as\n{}", written, write_configuration(again.options)));
}

void command_line(const std::string& text) {
    std::vector<std::string> words = lines_of(text);
    for (const std::string& word : words) {
        if (word.find("config") != std::string::npos) {
            return;  // files of this machine
        }
    }
    Command command;
    try {
        command = parse(words);
    } catch (const Error& error) {
        demand(error.code() == ExitCode::usage || error.code() == ExitCode::input, "a mistake is a usage error");
        demand(*error.what() != '\0', "a mistake is told");
        return;
    }
    if (command.action == Action::run) {
        static_cast<void>(command_line_of(command.options));
        same_again(command.options);
    }
}

void configuration(std::span<const std::uint8_t> text) {
    Command command;
    try {
        read_configuration(file_of(text, ".toml"), command);
    } catch (const Error& error) {
        demand(error.code() == ExitCode::usage || error.code() == ExitCode::input, "a mistake is a usage error");
        return;
    }
    same_again(command.options);
}

void tracks(const std::string& text) {
    try {
        const Tracks read = parse_tracks(text, "tracks");
        std::vector<Tracks::Place> places;
        for (const double seconds : {0.0, 0.5, 1e9}) {
            read.find({.number = static_cast<std::int64_t>(25 * seconds), .seconds = seconds}, places);
        }
    } catch (const std::invalid_argument&) {
    }
}

void rectangles(const std::string& text) {
    std::vector<Rectangle> read;
    try {
        read = parse_rectangles(text);
    } catch (const RegionError&) {
        return;
    }
    demand(parse_rectangles(to_string(read)) == read, fmt::format("'{}' is the same as '{}'", text, to_string(read)));
}

}  // namespace

}  // namespace vfilter::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace vfilter::fuzz;
    Reader reader(data, size);
    const std::uint8_t kind = reader.byte();
    const std::span<const std::uint8_t> bytes = reader.rest();
    const std::string text(bytes.begin(), bytes.end());
    switch (kind % 4) {
        case 0:
            command_line(text);
            break;
        case 1:
            configuration(bytes);
            break;
        case 2:
            tracks(text);
            break;
        default:
            rectangles(text);
            break;
    }
    return 0;
}
