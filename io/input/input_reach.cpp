#include "io/input/input_reach.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <span>

#include "config/error.h"
#include "config/letters.h"
#include "config/printable.h"
#include "io/demuxers.h"
#include "io/handles.h"
#include "io/source.h"

namespace vfilter {

namespace {

struct Reach {
    bool files = false;
    bool network = false;
};

// Libavformat's own locks, which the source's kind sets.
constexpr std::string_view protocol_lock = "protocol_whitelist";
constexpr std::string_view format_lock = "format_whitelist";
constexpr std::string_view nested_options = "_options";  // HLS has a dictionary of those of its segments

// Those that reach nothing by themselves: what they read from has to be on the list, too.
constexpr std::array<std::string_view, 7> harmless_protocols{"async", "concat", "concatf", "crypto",
                                                             "data",  "hls",    "subfile"};
// All others are of files, or might be.
constexpr std::array<std::string_view, 34> network_protocols{
    "amqp",  "dtls",    "ffrtmpcrypt", "ffrtmphttp", "ftp",    "gopher",  "gophers", "http", "httpproxy",
    "https", "icecast", "ipfs",        "ipns",       "mmsh",   "mmst",    "prompeg", "rist", "rtmp",
    "rtmpe", "rtmps",   "rtmpt",       "rtmpte",     "rtmpts", "rtp",     "sctp",    "sftp", "smb",
    "srt",   "srtp",    "tcp",         "tls",        "udp",    "udplite", "zmq"};

struct NamedOption {
    std::string_view key;
    Reach reach;
    std::string_view why;
};
constexpr std::string_view names_a_file = "names a file";
constexpr NamedOption named_options[] = {
    {"assetmaps", {.files = true}, names_a_file},
    {"ca_file", {.files = true}, names_a_file},
    {"cafile", {.files = true}, names_a_file},
    {"cert_file", {.files = true}, names_a_file},
    {"graph_file", {.files = true, .network = true}, "the filters in a file can reach any other file and address"},
    {"key_file", {.files = true}, names_a_file},
    {"private_key", {.files = true}, names_a_file},
    {"sub_name", {.files = true}, names_a_file},
};

template <typename Use>
void each_name(std::string_view list, const Use& use) {
    while (!list.empty()) {
        const std::string_view name = list.substr(0, list.find(','));
        use(std::string(name));
        list.remove_prefix(std::min(list.size(), name.size() + 1));
    }
}

bool is_listed(std::string_view list, std::string_view wanted) {
    bool found = false;
    each_name(list, [&](const std::string& name) { found = found || name == wanted; });
    return found;
}

bool is_protocol(std::string_view wanted) {
    void* state = nullptr;
    while (const char* const name = avio_enum_protocols(&state, 0)) {
        if (name == wanted) {
            return true;
        }
    }
    return false;
}

/// Holds options of FFmpeg's against what the user allows.
class ReachCheck {
public:
    explicit ReachCheck(const InputRequest& options) : options_(options), source_(source_of(options.path)) {}

    void check(const OptionPairs& pairs) const {
        for (const auto& [key, value] : pairs) {
            if (find_option(pairs, key) == &value) {
                check(key, value);
            }
        }
    }

private:
    void check(const std::string& key, const std::string& value) const {
        const std::string plain = lower_case(key);
        // Dictionaries of FFmpeg's take one for the other, its options do not: the lock would be gone.
        if (key != plain && (plain == protocol_lock || plain == format_lock)) {
            refuse(key, "is no option of FFmpeg's; " + plain + " is", {});
        }
        if (key == protocol_lock) {
            each_name(value, [&](const std::string& name) { check_protocol(name); });
        } else if (key == format_lock) {
            each_name(value, [&](const std::string& name) { check_format(name); });
        } else if (key.ends_with(nested_options)) {
            check(pairs_in(value));
        } else if (const auto* const row = std::ranges::find(named_options, key, &NamedOption::key);
                   row != std::end(named_options) && exceeds(row->reach)) {
            refuse(key, std::string(row->why), row->reach);
        }
    }
    void check_protocol(const std::string& name) const {
        if (is_listed(source_.protocols, name) || is_among(harmless_protocols, name) || !is_protocol(name)) {
            return;
        }
        const bool network = is_among(network_protocols, name);
        if (const Reach reach{!network, network}; exceeds(reach)) {
            refuse(std::string(protocol_lock), fmt::format("'{}' reaches {}", name, network ? "addresses" : "files"),
                   reach);
        }
    }
    void check_format(const std::string& name) const {
        const AVInputFormat* const format = av_find_input_format(name.c_str());
        if (format == nullptr || is_own(*format)) {
            return;
        }
        // What a list at an address names is locked by the protocols.
        const bool device = is_device(*format);
        const bool list = is_playlist(*format) && (!source_.network() || is_script(*format));
        if (const Reach reach{device || list, device}; exceeds(reach)) {
            refuse(std::string(format_lock), fmt::format("'{}' can open other files, which the input names", name),
                   reach);
        }
    }

    // That of the source's kind, or one of the lists that it may be.
    [[nodiscard]] bool is_own(const AVInputFormat& format) const {
        bool own = false;
        each_name(format.name, [&](const std::string& name) {
            own = own || name == source_.format || is_listed(source_.playlists, name);
        });
        return own;
    }
    [[nodiscard]] bool exceeds(const Reach& reach) const {
        return (reach.files && !options_.allow_files) || (reach.network && !options_.allow_network);
    }
    static bool is_among(std::span<const std::string_view> names, std::string_view name) {
        return std::ranges::find(names, name) != names.end();
    }
    static OptionPairs pairs_in(const std::string& dictionary) {
        Dictionary read;
        av_dict_parse_string(read.get(), dictionary.c_str(), "=", ":", 0);  // up to a mistake, as libavutil does
        OptionPairs pairs;
        const AVDictionaryEntry* entry = nullptr;
        while ((entry = av_dict_get(*read.get(), "", entry, AV_DICT_IGNORE_SUFFIX)) != nullptr) {
            pairs.emplace_back(entry->key, entry->value);
        }
        return pairs;
    }
    [[noreturn]] void refuse(const std::string& key, const std::string& why, const Reach& reach) const {
        const bool both = reach.files && reach.network;
        throw Error(ExitCode::usage,
                    fmt::format("{} {}: {}{}{}{}{}", options_.beside ? "--add-option" : "--input-option",
                                printable(key), printable(why), reach.files || reach.network ? ": that needs " : "",
                                reach.files ? "--allow-files" : "", both ? " and " : "",
                                reach.network ? "--allow-network" : ""));
    }

    const InputRequest& options_;
    const Source& source_;
};

}  // namespace

void check_reach(const InputRequest& options) {
    ReachCheck(options).check(options.input_options);
}

// As libxcb reads it: PROTOCOL/HOST:NUMBER, of which the first two may be missing. A path is a socket's.
bool is_remote_display(std::string_view display) {
    display = display.substr(0, display.find('+'));
    if (display.starts_with('/') || display.starts_with("unix:/")) {
        return false;
    }
    const std::size_t slash = display.rfind('/');
    const std::string_view protocol = slash == std::string_view::npos ? "" : display.substr(0, slash);
    display.remove_prefix(slash == std::string_view::npos ? 0 : slash + 1);
    const std::size_t colon = display.rfind(':');
    const std::string_view host = colon == std::string_view::npos ? "" : display.substr(0, colon);
    return protocol != "unix" && host != "unix" && !(protocol.empty() && host.empty());
}

// A backslash in an argument can hide any name.
bool names_files_to_alsa(std::string_view device) {
    constexpr std::array<std::string_view, 3> plugins{"file:", "shm:", "tee:"};
    const auto is_letter = [](char letter) {
        return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '-';
    };
    return device.find('\\') != std::string_view::npos || std::ranges::any_of(plugins, [&](std::string_view plugin) {
               std::size_t at = device.find(plugin);
               while (at != std::string_view::npos && at > 0 && is_letter(device[at - 1])) {
                   at = device.find(plugin, at + 1);
               }
               return at != std::string_view::npos;
           });
}

}  // namespace vfilter
