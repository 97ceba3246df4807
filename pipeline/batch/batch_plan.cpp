#include "pipeline/batch/batch_plan.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "config/command_text.h"
#include "config/error.h"
#include "io/codec/encoder_choice.h"
#include "io/codec/thread_limit.h"
#include "io/containers.h"
#include "io/handles.h"
#include "io/input/demuxer.h"
#include "io/output/container_choice.h"
#include "io/output/part_name.h"
#include "io/picture_names.h"
#include "io/sha256.h"
#include "io/source.h"
#include "io/stills.h"
#include "pipeline/batch/picture_folders.h"
#include "pipeline/session/quiet_log.h"
#include "pipeline/session/read_files.h"

namespace vfilter {

namespace {

namespace fs = std::filesystem;

using Inode = std::pair<dev_t, ino_t>;

std::optional<Inode> inode_of(const std::string& path) {
    struct stat status {};
    return stat(path.c_str(), &status) == 0 ? std::optional(Inode{status.st_dev, status.st_ino}) : std::nullopt;
}

// With --format it is what files of that format end with, else the input's.
std::string ending_of(const Options& options, const std::string& input) {
    const std::string own = fs::path(input).extension().string();
    if (options.output.format.empty()) {
        return own.empty() ? "" : own.substr(1);
    }
    OutputOptions output = options.output;
    output.path = "file." + options.output.format;
    if (stills_of(output)) {
        return options.output.format;
    }
    const char* const endings = choose_container(output).extensions;
    const std::string_view list = endings != nullptr ? endings : "";
    return list.empty() ? options.output.format : std::string(list.substr(0, list.find(',')));
}

// What is wrong with one input is that one's alone where the batch keeps going: a folder of videos has a text in it.
void refuse(const Options& options, BatchFile& file, ExitCode code, const std::string& why) {
    if (!options.batch.keep_going) {
        throw Error(code, fmt::format("{}: {}", shown_name(file.input), why));
    }
    file.refusal = why;
    file.code = static_cast<int>(code);
}

void check_input(const Options& options, BatchFile& file) {
    if (!is_file_input(file.input)) {
        refuse(options, file, ExitCode::usage, "is no file, which many inputs have to be");
        return;
    }
    struct stat status {};
    if (stat(file.input.c_str(), &status) != 0) {
        refuse(options, file, ExitCode::input, std::strerror(errno));
        return;
    }
    file.inode = status.st_ino;
    if (!S_ISREG(status.st_mode)) {
        const bool folder = S_ISDIR(status.st_mode);
        refuse(options, file, ExitCode::usage,
               fmt::format("is {}; many inputs are files, each named{}", folder ? "a folder" : "no regular file",
                           folder ? fmt::format(", as {} does", (fs::path(file.input) / "*").string()) : ""));
    }
}

void find_pictures_of(const Options& options, const OutputOptions& output, BatchFile& file) {
    const std::optional<Stills> stills = stills_of(output);
    file.pictures = stills ? stills->names : std::nullopt;
    const bool numbered_by_input = file.pictures && options.batch.name.find('%') == std::string::npos;
    if (numbered_by_input && file.refusal.empty()) {
        refuse(
            options, file, ExitCode::usage,
            fmt::format("the output {} would be numbered pictures, as the input's name has a %d; {} gives it another",
                        file.name, options.batch.name.empty() ? "--name" : "a --name without {stem}"));
    }
    if (numbered_by_input) {
        file.pictures.reset();
        return;
    }
    if (file.pictures && !names_picture_folder(file.name)) {
        throw Error(ExitCode::usage, fmt::format("{}: the pictures of many inputs are in a folder for each, as --name "
                                                 "'{{stem}}/%05d.png' has them",
                                                 file.name));
    }
    if (!file.pictures && names_picture_folder(file.name)) {
        throw Error(ExitCode::usage, fmt::format("{}: numbered pictures alone go into a folder for each input, as "
                                                 "--name '{{stem}}/%05d.png' has them",
                                                 file.name));
    }
    std::error_code error;
    if (file.pictures && file.refusal.empty() && fs::exists(file.pictures->folder(), error) &&
        !fs::is_directory(file.pictures->folder(), error)) {
        refuse(options, file, ExitCode::output, fmt::format("{} is no folder", file.pictures->folder()));
    }
}

std::optional<Error> error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const Error& error) {
        return error;
    }
    return std::nullopt;
}

// What an output of that name cannot be.
void check_output(const OutputOptions& output) {
    const AVOutputFormat& container = choose_container(output);
    if (holds_sound_alone(container)) {
        check_codec(output, container);
    }
}

// Whether an output's name ends as the input's does.
bool keeps_ending(const Options& options) {
    return options.output.format.empty() &&
           (options.batch.name.empty() || options.batch.name.find("{ext}") != std::string::npos);
}

// What the name cannot be is told before anything begins. An input without video has no ending of one, and that it has
// none is what is to be told.
void check_name(const Options& options, const OutputOptions& output, BatchFile& file) {
    std::optional<Error> wrong = error_of([&output] { check_output(output); });
    if (wrong && keeps_ending(options)) {
        const QuietLog quiet;
        InputRequest input(options.input);
        input.path = file.input;
        const std::optional<Error> own = error_of([&input] { const Demuxer demuxer(input, [] { return false; }); });
        const bool mistake = wrong->code() == ExitCode::usage;  // which it stays
        wrong = own ? Error(mistake ? ExitCode::usage : own->code(), own->what()) : wrong;
    }
    if (wrong && !options.batch.keep_going) {
        throw Error(*wrong);
    }
    if (wrong) {
        file.refusal = wrong->what();
        file.code = static_cast<int>(wrong->code());
    }
}

// No output is a file that is read or written otherwise, nor is the report.
void check_outputs(const Options& options, const std::vector<BatchFile>& files) {
    std::vector<ReadFile> reads = read_files(options);
    for (const BatchFile& file : files) {
        reads.push_back({"an input", file.input});
    }
    std::vector<std::string> others{options.report};
    std::map<Inode, std::string_view> read;
    for (const ReadFile& file : reads) {
        if (file.what != "an input") {
            others.push_back(file.path);
        }
        if (const std::optional<Inode> inode = inode_of(file.path)) {
            read.emplace(*inode, file.what);
        }
    }
    check_picture_folders(files, others);
    std::map<std::string, const BatchFile*> outputs;
    for (const BatchFile& file : files) {
        const auto [other, is_new] = outputs.emplace(place_of(file.output), &file);
        if (!is_new) {
            throw Error(ExitCode::usage, fmt::format("{} and {} would both become {}; --name tells them apart",
                                                     other->second->input, file.input, file.output));
        }
        const std::optional<Inode> inode = inode_of(file.output);
        if (const auto found = inode ? read.find(*inode) : read.end(); found != read.end()) {
            throw Error(ExitCode::usage,
                        fmt::format("{}: is {}, and would be written over", file.output, found->second));
        }
    }
    for (const std::string& other : others) {
        const auto found = other.empty() ? outputs.end() : outputs.find(place_of(other));
        if (found != outputs.end()) {
            throw Error(ExitCode::usage, fmt::format("{}: is named already, and would be written over", other));
        }
    }
    const std::optional<Inode> report = options.report.empty() ? std::nullopt : inode_of(options.report);
    if (const auto found = report ? read.find(*report) : read.end(); found != read.end()) {
        throw Error(ExitCode::usage, fmt::format("{}: the report would overwrite {}", options.report, found->second));
    }
}

bool is_same_input(const Journal& journal, const JournalEntry& entry, const BatchFile& file) {
    if (entry.input != file.facts) {
        return false;
    }
    if (entry.place.empty() || file.place.empty() || entry.place == file.place) {
        return true;
    }
    const fs::path before = fs::path(place_of(journal.folder())) / entry.place;
    const bool gone = facts_of_file(before.string()) != entry.input;
    return gone && (before.filename() == fs::path(file.place).filename() || entry.inode == file.inode);
}

}  // namespace

std::string place_of(const std::string& path) {
    std::error_code error;
    const fs::path place = fs::weakly_canonical(fs::absolute(path, error), error);
    return error ? path : place.string();
}

const JournalEntry* known_work(const Journal& journal, const BatchFile& file, const FileFacts& there,
                               const std::string& hash) {
    const JournalEntry* const entry = there.size < 0 ? nullptr : journal.find(file.name, there);
    return entry != nullptr && entry->options == hash && is_same_input(journal, *entry, file) ? entry : nullptr;
}

bool was_stopped(const JournalEntry& entry) {
    return is_stop(static_cast<ExitCode>(entry.code));
}

std::string batch_name(const std::string& pattern, const std::string& input, const std::string& ending,
                       std::size_t number) {
    const std::string stem = fs::path(input).stem().string();
    if (pattern.empty()) {
        return ending.empty() ? stem : stem + "." + ending;
    }
    const std::array<std::pair<std::string_view, std::string>, 3> words{
        {{"{stem}", stem}, {"{ext}", ending}, {"{n}", fmt::format("{}", number)}}};
    std::string name;
    for (std::size_t at = 0; at < pattern.size();) {
        const std::string_view rest = std::string_view(pattern).substr(at);
        const auto* const word =
            std::ranges::find_if(words, [&](const auto& row) { return rest.starts_with(row.first); });
        if (word != words.end()) {
            name += word->second;
            at += word->first.size();
        } else if (rest.front() == '{' || rest.front() == '}') {
            throw Error(ExitCode::usage, "--name: in braces there are {stem}, {ext} and {n}");
        } else {
            name += rest.front();
            ++at;
        }
    }
    const bool is_path = name.find('/') != std::string::npos;
    if (name.empty() || (is_path && !names_picture_folder(name)) || name == "." || name == "..") {
        throw Error(ExitCode::usage,
                    fmt::format("--name: '{}' is no name of a file{}", name,
                                is_path ? ", nor of a folder and numbered pictures, as {stem}/%05d.png" : ""));
    }
    const std::string first = name.substr(0, name.find('/'));
    if (first == Journal::file_name || !output_of_part(first).empty()) {
        throw Error(ExitCode::usage, fmt::format("--name: '{}' is a name of vfilter's own files", name));
    }
    return name;
}

std::vector<BatchFile> plan_batch(const Options& options) {
    const BatchOptions& batch = options.batch;
    const fs::path folder = place_of(batch.folder);
    std::vector<BatchFile> files;
    for (const std::string& input : batch.inputs) {
        BatchFile file;
        file.input = input;
        check_input(options, file);
        file.facts = facts_of_file(input);
        file.place = fs::path(place_of(input)).lexically_relative(folder).string();
        file.name = batch_name(batch.name, input, ending_of(options, input), files.size() + 1);
        file.output = (fs::path(batch.folder) / file.name).string();
        OutputOptions output = options.output;
        output.path = file.output;
        find_pictures_of(options, output, file);
        if (file.refusal.empty()) {
            check_name(options, output, file);
        }
        files.push_back(std::move(file));
    }
    const auto is_mistake = [](const BatchFile& file) { return file.code == static_cast<int>(ExitCode::usage); };
    if (batch.keep_going && !files.empty() && std::ranges::all_of(files, is_mistake)) {
        Options same = options;  // nothing could begin
        same.batch.keep_going = false;
        return plan_batch(same);
    }
    check_outputs(options, files);
    return files;
}

std::string hash_of_options(const Options& options) {
    Options same = options;
    const Options usual;
    same.input.path = same.output.path = same.report = same.trace = "";
    same.output.overwrite = Overwrite::ask;
    same.device = usual.device;
    same.threads = usual.threads;
    same.streams = usual.streams;
    same.verify = usual.verify;
    same.progress = usual.progress;
    same.stats = usual.stats;
    same.log_level = usual.log_level;
    same.stall_timeout = usual.stall_timeout;
    same.batch = {};
    std::string text = fmt::format("{} {}", VFILTER_VERSION, command_line_of(same));
    for (const std::string& file : files_that_count(options)) {
        const FileFacts facts = facts_of_file(file);
        text += fmt::format(" {} {}", facts.size, facts.mtime);
    }
    Sha256 sum;
    sum.add({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
    return sum.hex();
}

Standing standing_of(const Options& options, const Journal& journal, const BatchFile& file, const std::string& hash) {
    if (file.pictures) {
        const KnownPictures known = known_pictures(journal, file, options.output.start_number, hash);
        return {.exists = known.count > 0, .known = known.entry};
    }
    const FileFacts there = facts_of_file(file.output);
    return {.exists = there.size >= 0, .known = known_work(journal, file, there, hash)};
}

void mark_existing(const Options& options, const Journal& journal, const std::string& hash,
                   std::vector<BatchFile>& files) {
    std::int64_t taken = 0;
    std::string first;
    for (BatchFile& file : files) {
        const Standing standing = file.refusal.empty() ? standing_of(options, journal, file, hash) : Standing{};
        if (!standing.exists) {
            continue;
        }
        const JournalEntry* const entry = options.batch.skip_existing ? standing.known : nullptr;
        const bool stopped = entry != nullptr && was_stopped(*entry);
        file.finished = entry != nullptr && !stopped;
        file.replaces = stopped || options.output.overwrite == Overwrite::yes;
        file.code = file.finished ? entry->code : 0;
        file.frames = file.finished ? entry->frames : 0;
        if (!file.finished && !file.replaces) {
            file.refusal = options.batch.skip_existing ? "exists, and is not known as made of this input with these "
                                                         "options; -y makes it anew"
                                                       : "exists; -y replaces it";
            file.code = static_cast<int>(ExitCode::output);
            first = taken++ == 0 ? fmt::format("{}: {}", file.output, file.refusal) : first;
        }
    }
    if (taken > 0 && !options.batch.keep_going) {
        throw Error(ExitCode::output, taken == 1 ? first : fmt::format("{} ({} more do)", first, taken - 1));
    }
}

Options options_of_one(const Options& options, const BatchFile& file, const std::string& output) {
    Options one = options;
    one.batch = {};
    one.input.path = file.input;
    one.output.path = output;
    one.batch.named = file.output;
    one.output.overwrite = file.replaces ? Overwrite::yes : Overwrite::no;
    one.report.clear();
    if (options.batch.jobs > 1) {
        const int threads = options.threads > 0 ? options.threads : usable_cores();
        one.threads = std::max(1, threads / options.batch.jobs);
    }
    return one;
}

std::string existing_outputs(const Options& options) {
    std::string first;
    int count = 0;
    for (const BatchFile& file : plan_batch(options)) {
        if (file.pictures ? !existing_numbers(*file.pictures, options.output.start_number).empty()
                          : facts_of_file(file.output).size >= 0) {
            first = count++ == 0 ? file.output : first;
        }
    }
    return count > 1 ? fmt::format("{} and {} more", first, count - 1) : first;
}

}  // namespace vfilter
