#include "pipeline/session/two_pass.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "config/encoder_facts.h"
#include "config/error.h"
#include "config/lavfi/graph_reader.h"
#include "io/codec/encoder_choice.h"
#include "io/file_facts.h"
#include "io/folder_names.h"
#include "io/output/container_choice.h"
#include "io/output/file_rights.h"
#include "io/output/output_file.h"
#include "io/source.h"
#include "pipeline/failure.h"
#include "pipeline/report/log.h"

namespace vfilter {

namespace {

constexpr std::string_view passes_start = ".vfilter-passes-";

std::vector<std::string> left_passes(const std::string& folder) {
    std::vector<std::string> left;
    for_each_name(folder, [&](const std::string& name) {
        const std::string path = (std::filesystem::path(folder) / name).string();
        std::error_code error;
        // One that is empty may be a moment old.
        if (name.starts_with(passes_start) && std::filesystem::is_directory(path, error) &&
            !std::filesystem::is_empty(path, error) && !error && !is_locked(path)) {
            left.push_back(path);
        }
    });
    return left;
}

// A folder of its own for the encoder's statistics, beside the output, which goes with this object.
class StatisticsFolder {
public:
    explicit StatisticsFolder(const std::string& output) {
        std::error_code error;
        const std::filesystem::path target(followed(output));
        std::filesystem::path parent = target.parent_path().empty() ? "." : target.parent_path();
        // Not beside a device; and x265 takes the name in a list whose parts are divided by colons.
        const bool device = std::filesystem::exists(target, error) && !std::filesystem::is_regular_file(target, error);
        if (device || parent.string().find_first_of(":=") != std::string::npos) {
            parent = std::filesystem::temp_directory_path(error);
        }
        tell_leftovers(parent);
        constexpr int tries = 10;
        for (int i = 0; i < tries && !is_mine(); ++i) {
            if (lock_ >= 0) {
                close(lock_);
            }
            path_ = (parent / fmt::format("{}XXXXXX", passes_start)).string();
            if (mkdtemp(path_.data()) == nullptr) {
                throw Error(ExitCode::output, fmt::format("{}: {}", parent.string(), std::strerror(errno)));
            }
            lock_ = open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
            locked_ = flock(lock_, LOCK_EX | LOCK_NB) == 0 ||
                      errno != EWOULDBLOCK;  // somebody is at work here, as others see by it
        }
    }
    ~StatisticsFolder() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
        if (error) {
            spdlog::warn("{}: not removed: {}", path_, error.message());
        }
        if (lock_ >= 0) {
            close(lock_);
        }
    }
    StatisticsFolder(const StatisticsFolder&) = delete;
    StatisticsFolder& operator=(const StatisticsFolder&) = delete;

    [[nodiscard]] const std::string& path() const { return path_; }

private:
    // A batch may have taken it for a leftover before it was locked.
    [[nodiscard]] bool is_mine() const {
        std::error_code error;
        return locked_ && std::filesystem::exists(path_, error);
    }

    static void tell_leftovers(const std::filesystem::path& parent) {
        for (const std::string& path : left_passes(parent.string())) {
            spdlog::warn("the first pass of an earlier run that was killed is still here, and of no use: {}", path);
        }
    }

    std::string path_;
    int lock_ = -1;
    bool locked_ = false;
};

bool can_be_read_again(const Options& options) {
    return is_read_again(options.input.path) && !options.input.live && !options.preview &&
           std::ranges::all_of(options.input.added, is_read_again, &AddedFile::path);
}

// Whether the user's own graph makes palettes.
bool has_palettes(const Options& options) {
    return std::ranges::any_of(options.foreign,
                               [](const ForeignStep& step) { return lavfi::names_filter(step.graph, "paletteuse"); });
}

// What can be known before the first pass, which may take hours.
void check_twice(const Options& options) {
    std::error_code error;
    const OutputOptions& output = options.output;
    if (options.preview) {
        throw Error(ExitCode::usage, "--two-pass has no window: --preview is for one pass");
    }
    for (const AddedFile& added : options.input.added) {
        if (!is_read_again(added.path)) {
            throw Error(ExitCode::usage, fmt::format("--two-pass reads all files twice: what --add names has to be a "
                                                     "file with a name, which {} is not",
                                                     added.path));
        }
    }
    if (!can_be_read_again(options)) {
        throw Error(ExitCode::usage,
                    "--two-pass reads the input twice: it has to be a file that is given by its name, and not live");
    }
    const AVOutputFormat& container = choose_container(output);
    const AVCodec& codec = choose_codec(output, container);
    check_codec(output, container);
    const EncoderFacts& facts = encoder_facts(codec.name);
    if (facts.passes == PassStatistics::none) {
        throw Error(ExitCode::usage, fmt::format("--two-pass: the encoder {} works in one pass", codec.name));
    }
    if (facts.passes != PassStatistics::palette && !output.bitrate &&
        !(output.crf && facts.has(encoder_fact::rate_or_crf))) {
        throw Error(ExitCode::usage, "--two-pass shares out a --bitrate, which is missing");
    }
    if (output.overwrite != Overwrite::yes && output.path != "-" &&
        std::filesystem::is_regular_file(output.path, error)) {
        throw Error(ExitCode::output, fmt::format("{}: exists; -y replaces it", output.path));
    }
}

}  // namespace

bool is_read_again(const std::string& path) {
    std::error_code error;
    return is_file_input(path) && !std::filesystem::is_fifo(path, error) &&
           !std::filesystem::is_character_file(path, error);
}

int remove_left_passes(const std::string& folder) {
    int removed = 0;
    for_each_name(folder, [&](const std::string& name) {
        if (!name.starts_with(passes_start)) {
            return;
        }
        const std::filesystem::path path = std::filesystem::path(folder) / name;
        const int lock = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        std::error_code error;
        if (lock >= 0 && flock(lock, LOCK_EX | LOCK_NB) == 0) {
            removed += std::filesystem::remove_all(path, error) > 0 && !error ? 1 : 0;
        }
        if (lock >= 0) {
            close(lock);
        }
    });
    return removed;
}

bool runs_twice(const Options& options) {
    const OutputOptions& output = options.output;
    if (output.two_pass) {
        return true;
    }
    try {
        return options.records() && can_be_read_again(options) && !has_palettes(options) &&
               makes_palettes(choose_codec(output, choose_container(output)), output);
    } catch (const Error&) {
        return false;  // told by the run
    }
}

Outcome run_twice(const Options& options, const std::function<Outcome(const Options&, const EncodeTask&)>& run) {
    Outcome failed;
    try {
        check_twice(options);
        const AVOutputFormat& container = choose_container(options.output);
        const StatisticsFolder folder(options.output.path);
        Options first_options = options;
        first_options.trace.clear();
        first_options.verify = false;
        const bool palette = makes_palettes(choose_codec(options.output, container), options.output);
        spdlog::info("pass 1 of 2{}", palette ? ": which colours there are" : "");
        const auto facts = [&] {
            std::map<std::string, FileFacts> all{{options.input.path, facts_of_file(options.input.path)}};
            for (const AddedFile& added : options.input.added) {
                all.emplace(added.path, facts_of_file(added.path));
            }
            for (const std::string& appended : options.input.appended) {
                all.emplace(appended, facts_of_file(appended));
            }
            return all;
        };
        const std::map<std::string, FileFacts> before = facts();
        Outcome first = run(first_options, {.pass = 1, .pass_folder = folder.path()});
        if (first.end.message.empty() && is_stop(first.end.code)) {
            first.end.message = "stopped in the first of two passes, before anything was written";
        }
        if (!first.end.message.empty() ||
            (first.end.code != ExitCode::finished && first.end.code != ExitCode::damaged)) {
            return first;
        }
        for (const auto& [path, now] : facts()) {
            if (now != before.at(path)) {
                throw Error(ExitCode::input, fmt::format("{}: has changed since the first pass read it", path));
            }
        }
        spdlog::info("pass 2 of 2");
        tell_only_news();
        return run(options, {.pass = 2, .pass_folder = folder.path()});
    } catch (...) {
        Failure failure = failure_of(std::current_exception());
        failed.end.code = failure.code;
        failed.end.message = std::move(failure.message);
    }
    return failed;
}

}  // namespace vfilter
