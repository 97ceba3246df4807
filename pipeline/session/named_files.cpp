#include "pipeline/session/named_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <vector>

#include "config/error.h"
#include "io/handles.h"
#include "io/output/file_rights.h"
#include "io/output/sink.h"
#include "io/picture_names.h"
#include "io/source.h"
#include "pipeline/report/report.h"

namespace vfilter {

namespace {

struct NamedFile {
    std::string what;  // for people
    std::string path;  // "-" for the standard streams
    int standard;      // the descriptor that "-" means
    bool written;
    bool asked = false;     // replaced only where the user has said so
    struct stat status {};  // of what is there
    bool exists = false;
    int error = ENOENT;   // why not
    std::string place{};  // where it will be, links followed
};

// Pipes and terminals may be shared, and /dev/null by everybody; one file cannot.
bool are_one(const NamedFile& a, const NamedFile& b) {
    if (a.exists && b.exists) {
        const bool same = a.status.st_dev == b.status.st_dev && a.status.st_ino == b.status.st_ino;
        return same && (S_ISREG(a.status.st_mode) || (S_ISFIFO(a.status.st_mode) && a.written && b.written));
    }
    return !a.exists && !b.exists && !a.place.empty() && a.place == b.place;
}

std::vector<NamedFile> list_files(const Options& options) {
    std::vector<NamedFile> files;
    const auto add = [&](std::string_view what, const std::string& path, int standard, bool written) {
        if (!path.empty()) {
            files.push_back({.what = std::string(what), .path = path, .standard = standard, .written = written});
        }
    };
    if (options.input.path == "-" || is_file_input(options.input.path)) {
        add("the input", options.input.path, STDIN_FILENO, false);
    }
    for (const AddedFile& added : options.input.added) {
        add("an added file", added.path, STDIN_FILENO, false);
    }
    for (const std::string& appended : options.input.appended) {
        add("an appended file", appended, -1, false);
    }
    for (const std::string& config : options.config_files) {
        add("a configuration file", config, -1, false);
    }
    for (const FilterSpec& filter : options.filters) {
        add("a mask", filter.region.mask, -1, false);
        add("a table of tracks", filter.region.tracks ? filter.region.tracks->file : "", -1, false);
    }
    if (options.output.format != "null" && sink_of(options.output.path) == nullptr) {
        add("the output", options.output.path, STDOUT_FILENO, true);
    }
    if (options.stats == StatsFormat::json) {
        add("the statistics", "-", STDOUT_FILENO, true);
    }
    add("the report", options.report, -1, true);
    add("the trace", options.trace, -1, true);
    return files;
}

void look_at(NamedFile& file) {
    if (file.path == "-" && file.standard >= 0) {
        file.exists = fstat(file.standard, &file.status) == 0;
        return;
    }
    file.exists = stat(file.path.c_str(), &file.status) == 0;
    file.error = file.exists ? 0 : errno;
    if (file.error == ELOOP) {
        throw Error(file.written ? ExitCode::output : ExitCode::input,
                    fmt::format("{}: {}", file.path, av_message(AVERROR(ELOOP))));
    }
    if (file.exists && file.written && S_ISDIR(file.status.st_mode)) {
        throw Error(ExitCode::output, fmt::format("{}: is a folder; {} is a file", file.path, file.what));
    }
    if (!file.exists && file.written) {
        std::error_code error;
        const auto place =
            std::filesystem::weakly_canonical(std::filesystem::absolute(followed(file.path), error), error);
        file.place = error ? "" : place.string();
    }
}

}  // namespace

void check_named_files(const Options& options) {
    const std::string& input = options.input.path;
    std::vector<NamedFile> files = list_files(options);
    for (NamedFile& file : files) {
        look_at(file);
    }
    for (std::size_t i = 0; i < files.size(); ++i) {
        for (std::size_t j = i + 1; j < files.size(); ++j) {
            const NamedFile& first = files[i];
            const NamedFile& second = files[j];
            if (!second.written || !are_one(first, second)) {
                continue;
            }
            const std::string name = second.path == "-" ? "standard output" : second.path;
            if (first.what == "the input" && second.what == "the output") {
                throw Error(ExitCode::usage, fmt::format("{}: input and output are the same file", name));
            }
            throw Error(ExitCode::usage, fmt::format("{}: {} would overwrite {}", name, second.what, first.what));
        }
    }
    for (const std::string& text : {options.report, options.trace}) {
        if (!text.empty()) {
            check_text_file(text);
        }
    }
    for (const NamedFile& file : files) {
        if ((file.what == "an added file" || file.what == "an appended file") && !file.exists) {
            throw Error(ExitCode::input, fmt::format("{}: {}", file.path, av_message(AVERROR(file.error))));
        }
    }
    if (is_file_input(input) && !files.empty() && !files.front().exists && !find_pictures(input)) {
        throw Error(ExitCode::input, fmt::format("{}: {}", input, av_message(AVERROR(files.front().error))));
    }
}

}  // namespace vfilter
