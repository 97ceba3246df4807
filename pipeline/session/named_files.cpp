#include "pipeline/session/named_files.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "config/error.h"
#include "io/handles.h"
#include "io/output/file_rights.h"
#include "io/output/sink.h"
#include "io/picture_names.h"
#include "io/source.h"
#include "pipeline/report/report.h"
#include "pipeline/session/read_files.h"

namespace vfilter {

namespace {

struct WrittenFile {
    std::string what;  // for people
    std::string path;
    int standard = -1;      // the descriptor that "-" means, -1 if it is a name like others
    struct stat status {};  // of what is there
    bool exists = false;
    std::string place{};  // where it will be, links followed
};

bool is_same(const struct stat& one, const struct stat& other) {
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// Pipes and terminals may be read and written, and /dev/null by everybody; one file cannot.
bool are_one(const WrittenFile& a, const WrittenFile& b) {
    if (a.exists && b.exists) {
        return is_same(a.status, b.status) && (S_ISREG(a.status.st_mode) || S_ISFIFO(a.status.st_mode));
    }
    return !a.exists && !b.exists && !a.place.empty() && a.place == b.place;
}

std::vector<WrittenFile> list_written(const Options& options) {
    std::vector<WrittenFile> files;
    const auto add = [&](std::string_view what, const std::string& path, int standard = -1) {
        if (!path.empty()) {
            files.push_back({.what = std::string(what), .path = path, .standard = standard});
        }
    };
    if (options.output.format != "null" && sink_of(options.output.path) == nullptr) {
        add("the output", options.output.path, STDOUT_FILENO);
    }
    if (options.stats == StatsFormat::json) {
        add("the statistics", "-", STDOUT_FILENO);
    }
    add("the report", options.report);
    add("the trace", options.trace);
    return files;
}

// 0, or what the system says of it.
int look_at(const std::string& path, int standard, ExitCode code, struct stat& status) {
    if ((path == "-" && standard >= 0 ? fstat(standard, &status) : stat(path.c_str(), &status)) == 0) {
        return 0;
    }
    const int error = errno;
    if (error == ELOOP) {
        throw Error(code, fmt::format("{}: {}", path, av_message(AVERROR(ELOOP))));
    }
    return error;
}

void look_at(WrittenFile& file) {
    file.exists = look_at(file.path, file.standard, ExitCode::output, file.status) == 0;
    if (file.exists && S_ISDIR(file.status.st_mode)) {
        throw Error(ExitCode::output, fmt::format("{}: is a folder; {} is a file", file.path, file.what));
    }
    if (!file.exists && (file.standard < 0 || file.path != "-")) {
        std::error_code error;
        const auto place =
            std::filesystem::weakly_canonical(std::filesystem::absolute(followed(file.path), error), error);
        file.place = error ? "" : place.string();
    }
}

// Looks at all that is read, as far as it is needed: a sequence has many pictures.
void check_read(const std::vector<ReadFile>& files, const std::vector<WrittenFile>& written) {
    const bool any = std::ranges::any_of(written, &WrittenFile::exists);
    for (const ReadFile& file : files) {
        const bool needed = file.what == "an added file" || file.what == "an appended file";
        struct stat status {};
        const int standard = file.what == "the input" || file.what == "an added file" ? STDIN_FILENO : -1;
        const int error = any || needed ? look_at(file.path, standard, ExitCode::input, status) : 0;
        if (error != 0 && needed) {
            throw Error(ExitCode::input, fmt::format("{}: {}", file.path, av_message(AVERROR(error))));
        }
        const auto same = std::ranges::find_if(written, [&](const WrittenFile& other) {
            return any && error == 0 && other.exists && S_ISREG(status.st_mode) && is_same(status, other.status);
        });
        if (same == written.end()) {
            continue;
        }
        const std::string name = same->path == "-" ? "standard output" : same->path;
        throw Error(ExitCode::usage, file.what == "the input" && same->what == "the output"
                                         ? fmt::format("{}: input and output are the same file", name)
                                         : fmt::format("{}: {} would overwrite {}", name, same->what, file.what));
    }
}

}  // namespace

void check_named_files(const Options& options) {
    const std::string& input = options.input.path;
    std::vector<WrittenFile> written = list_written(options);
    for (WrittenFile& file : written) {
        look_at(file);
    }
    const std::vector<ReadFile> read = read_files(options);
    check_read(read, written);
    for (std::size_t i = 0; i < written.size(); ++i) {
        for (std::size_t j = i + 1; j < written.size(); ++j) {
            if (are_one(written[i], written[j])) {
                const std::string name = written[j].path == "-" ? "standard output" : written[j].path;
                throw Error(ExitCode::usage,
                            fmt::format("{}: {} would overwrite {}", name, written[j].what, written[i].what));
            }
        }
    }
    for (const std::string& text : {options.report, options.trace}) {
        if (!text.empty()) {
            check_text_file(text, options.output.overwrite);
        }
    }
    struct stat status {};
    const int error = is_file_input(input) ? look_at(input, -1, ExitCode::input, status) : 0;
    if (error != 0 && !find_pictures(input)) {
        throw Error(ExitCode::input, fmt::format("{}: {}", input, av_message(AVERROR(error))));
    }
}

}  // namespace vfilter
