#include "pipeline/session/pictures.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "config/error.h"
#include "config/ffmpeg_graph.h"
#include "io/output/output_file.h"
#include "io/output/pipe_rules.h"
#include "io/picture_names.h"
#include "io/source.h"
#include "io/stills.h"
#include "pipeline/session/read_files.h"

namespace vfilter {

namespace {

using Identity = std::pair<dev_t, ino_t>;

std::optional<Identity> identity_of(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? std::optional(Identity{status.st_dev, status.st_ino}) : std::nullopt;
}

// "frames_%04d.png" of "frames.png".
std::string with_number(const std::string& path) {
    const std::filesystem::path plain(path);
    return (plain.parent_path() / (plain.stem().string() + "_%04d" + plain.extension().string())).string();
}

// What is read, and written besides the output.
std::vector<std::string> other_names(const Options& options) {
    std::vector<std::string> names{options.report, options.trace};
    for (ReadFile& file : read_files(options)) {
        names.push_back(std::move(file.path));
    }
    return names;
}

// "--frames 1 takes the first", and what else there is for those who have more than one picture.
std::string ways_for_several(const Options& options, const Stills& stills) {
    const bool png = stills.codec != nullptr && stills.codec->id == AV_CODEC_ID_PNG;
    const std::string each =
        options.batch.named.empty()
            ? with_number(options.output.path)
            : fmt::format("--name '{{stem}}/%05d{}'", std::filesystem::path(options.output.path).extension().string());
    return fmt::format("{} names each, {} takes the first{}", each,
                       options.foreign.empty() ? "--frames 1" : "trim=end_frame=1 at the end of --vf",
                       png ? ", --format apng makes an animation" : "");
}

// 0 if nobody knows.
std::int64_t expected_pictures(const Options& options, const Demuxer& input) {
    const std::int64_t wanted = options.input.frames.value_or(0);
    if (std::ranges::any_of(options.foreign,
                            [](const ForeignStep& step) { return effect_of_graph(step.graph) != GraphEffect::none; })) {
        return 0;
    }
    if (wanted == 1 || input.live()) {
        return wanted;
    }
    std::int64_t held = 0;
    for (const int video : input.videos()) {
        held += input.expected_frames(video);
    }
    return wanted > 0 && held > 0 ? std::min(wanted, held) : held;
}

}  // namespace

bool open_pictures(const Options& options, std::function<bool()> given_up, RunParts& parts) {
    const std::optional<Stills> stills = stills_of(options.output);
    if (!stills) {
        return false;
    }
    const std::int64_t expected = expected_pictures(options, *parts.demuxer);
    if (parts.demuxer->videos().size() > 1) {
        throw Error(ExitCode::usage, "pictures are made of one video: --video-stream chooses");
    }
    if (!stills->names) {
        if (expected > 1 && options.output.path != "-") {
            throw Error(ExitCode::usage, fmt::format("{}: holds one picture, and there are {}; {}", options.output.path,
                                                     expected, ways_for_several(options, *stills)));
        }
        return false;
    }
    parts.pictures = std::make_unique<PictureFiles>(*stills->names, options.output.start_number,
                                                    options.output.overwrite, std::move(given_up));
    parts.pictures->check_names(expected);
    return true;
}

void open_output_file(const Options& options, const AVOutputFormat& container, std::function<bool()> given_up,
                      RunParts& parts) {
    parts.file = std::make_unique<OutputFile>(options.output.path, options.output.overwrite, std::move(given_up));
    if (!parts.file->seekable()) {
        const std::string& path = options.output.path;
        check_for_pipe(container, path == "-" ? "standard output" : path, expected_pictures(options, *parts.demuxer));
    }
    if (options.sums) {
        parts.file->sum();
    }
}

void check_one_picture(const Options& options, std::int64_t written, OutputFile* file) {
    const std::optional<Stills> stills = stills_of(options.output);
    if (file != nullptr && written > 1 && options.output.path != "-" && stills) {
        file->discard();  // a file with more of them behind the first
        throw Error(ExitCode::output, fmt::format("{}: holds one picture, and {} came; {}", options.output.path,
                                                  written, ways_for_several(options, *stills)));
    }
}

std::string existing_output(const Options& options) {
    std::error_code error;
    const std::optional<Stills> stills = options.records() ? stills_of(options.output) : std::nullopt;
    if (!stills || !stills->names) {
        return std::filesystem::is_regular_file(options.output.path, error) ? options.output.path : "";
    }
    const std::vector<std::int64_t> there = existing_numbers(*stills->names, options.output.start_number);
    return there.empty()       ? ""
           : there.size() == 1 ? stills->names->path(there.front())
                               : fmt::format("{} and {} more", stills->names->path(there.front()), there.size() - 1);
}

void check_picture_names(const Options& options) {
    const std::optional<Stills> stills = options.records() ? stills_of(options.output) : std::nullopt;
    if (!stills || !stills->names) {
        return;
    }
    const PictureNames& names = *stills->names;
    std::set<Identity> written;
    for (const std::int64_t number : existing_numbers(names, options.output.start_number)) {
        if (const std::optional<Identity> identity = identity_of(names.path(number))) {
            written.insert(*identity);
        }
    }
    const std::optional<Identity> folder = identity_of(names.folder());
    for (const std::string& name : other_names(options)) {
        if (name.empty()) {
            continue;
        }
        const std::filesystem::path path(name);
        const std::optional<Identity> identity = identity_of(name);
        const std::optional<std::int64_t> number = names.number_of(path.filename().string());
        const bool same_place = number && *number >= options.output.start_number &&
                                identity_of(path.has_parent_path() ? path.parent_path().string() : ".") == folder;
        if (same_place || (identity && written.contains(*identity))) {
            throw Error(ExitCode::usage, fmt::format("{}: {} would be written over it", name, options.output.path));
        }
    }
}

}  // namespace vfilter
