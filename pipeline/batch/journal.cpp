#include "pipeline/batch/journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "config/error.h"
#include "io/descriptor.h"

namespace vfilter {

namespace {

// The children of a killed batch go a moment after it.
constexpr int lock_tries = 40;
constexpr int lock_pause_ms = 50;

// JSON holds UTF-8 alone, and names hold anything: every other byte as %XX.
std::string escaped(std::string_view name) {
    std::string text;
    for (const char letter : name) {
        const auto byte = static_cast<unsigned char>(letter);
        text += byte < 0x20 || byte >= 0x7F || letter == '%' ? fmt::format("%{:02X}", byte) : std::string(1, letter);
    }
    return text;
}

std::string unescaped(std::string_view text) {
    std::string name;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size()) {
            name += static_cast<char>(std::stoi(std::string(text.substr(i + 1, 2)), nullptr, 16));
            i += 2;
        } else {
            name += text[i];
        }
    }
    return name;
}

// "" if nothing speaks against the file.
std::string why_no_journal(int file) {
    constexpr off_t most_bytes = 64 << 20;  // more than 100,000 outputs
    struct stat status {};
    if (fstat(file, &status) != 0) {
        return std::strerror(errno);
    }
    if (!S_ISREG(status.st_mode)) {
        return "no regular file";
    }
    if (status.st_nlink > 1) {
        return "a file with another name beside this one";
    }
    return status.st_size > most_bytes ? fmt::format("larger than {} MiB", most_bytes >> 20) : "";
}

[[noreturn]] void fail_without_name(const std::string& path) {
    throw Error(ExitCode::output,
                fmt::format("{}: is no longer there, or another file: it, or its folder, was moved or "
                            "removed meanwhile, and nobody would know what is finished",
                            path));
}

}  // namespace

Journal::Journal(const std::string& folder) : folder_(folder), path_(folder + "/" + file_name) {
    // What may stand there instead: a FIFO that keeps whoever opens it waiting, a file of somebody else's.
    file_ = open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0666);
    if (file_ < 0) {
        throw Error(ExitCode::output, fmt::format("{}: {}", path_, std::strerror(errno)));
    }
    if (const std::string wrong = why_no_journal(file_); !wrong.empty()) {
        close(file_);
        throw Error(ExitCode::output, fmt::format("{}: {}: what a batch has finished is written there; remove it, or "
                                                  "write to another folder",
                                                  path_, wrong));
    }
    for (int tries = 0; flock(file_, LOCK_EX | LOCK_NB) != 0; ++tries) {
        if (tries == lock_tries) {
            const int error = errno;
            close(file_);
            throw Error(ExitCode::output,
                        fmt::format("{}: {}", folder,
                                    error == EWOULDBLOCK ? "another run is at work there" : std::strerror(error)));
        }
        poll(nullptr, 0, lock_pause_ms);
    }
    knows_itself_ = has_its_name();
    struct stat status {};
    if (fstat(file_, &status) == 0 && status.st_nlink == 0) {  // while the run before was waited for
        close(file_);
        fail_without_name(path_);
    }
    read();
}

Journal::~Journal() {
    close(file_);
}

void Journal::read() {
    std::string text;
    char block[65536];
    for (;;) {
        const ssize_t got = uninterrupted([&] { return ::read(file_, block, sizeof(block)); });
        if (got < 0) {
            const int error = errno;
            close(file_);
            throw Error(ExitCode::output, fmt::format("{}: {}", path_, std::strerror(error)));
        }
        if (got == 0) {
            break;
        }
        text.append(block, static_cast<std::size_t>(got));
    }
    torn_ = !text.empty() && text.back() != '\n';
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
        try {
            JournalEntry entry;
            entry.output = unescaped(json.at("output").get<std::string>());
            entry.code = json.at("code");
            entry.file = {json.at("size"), json.at("mtime")};
            entry.input = {json.at("input_size"), json.at("input_mtime")};
            entry.options = json.at("options");
            entry.frames = json.at("frames");
            entry.place = unescaped(json.value("input", ""));
            entry.inode = json.value("input_inode", std::uint64_t{0});
            entry.replaces = json.value("replaces", false);
            entries_[entry.output].push_back(entry);
        } catch (const std::exception&) {
            continue;  // a line that was cut off, or nothing of ours
        }
    }
}

const JournalEntry* Journal::find(const std::string& output) const {
    const auto found = entries_.find(output);
    return found == entries_.end() ? nullptr : &found->second.back();
}

const JournalEntry* Journal::find(const std::string& output, const FileFacts& file) const {
    const auto known = entries_.find(output);
    if (known == entries_.end()) {
        return nullptr;
    }
    const auto found = std::find_if(known->second.rbegin(), known->second.rend(),
                                    [&](const JournalEntry& entry) { return entry.code >= 0 && entry.file == file; });
    return found == known->second.rend() ? nullptr : &*found;
}

bool Journal::has_its_name() const {
    struct stat opened {};
    struct stat named {};
    return fstat(file_, &opened) == 0 && lstat(path_.c_str(), &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

void Journal::add(const JournalEntry& entry) {
    if (knows_itself_ && !has_its_name()) {
        fail_without_name(path_);
    }
    nlohmann::ordered_json json;
    json["output"] = escaped(entry.output);
    json["code"] = entry.code;
    json["size"] = entry.file.size;
    json["mtime"] = entry.file.mtime;
    json["input_size"] = entry.input.size;
    json["input_mtime"] = entry.input.mtime;
    json["options"] = entry.options;
    json["frames"] = entry.frames;
    if (!entry.place.empty()) {
        json["input"] = escaped(entry.place);
        json["input_inode"] = entry.inode;
    }
    if (entry.replaces) {
        json["replaces"] = true;
    }
    const std::string line = (torn_ ? "\n" : "") + json.dump() + "\n";
    torn_ = false;
    if (const std::size_t wrote = write_whole(file_, line); wrote < line.size()) {
        torn_ = wrote > 0;
        throw Error(ExitCode::output, fmt::format("{}: {}", path_, std::strerror(errno)));
    }
    if (fdatasync(file_) != 0) {
        throw Error(ExitCode::output, fmt::format("{}: {}", path_, std::strerror(errno)));
    }
    entries_[entry.output].push_back(entry);
}

}  // namespace vfilter
