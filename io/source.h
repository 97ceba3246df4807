#pragma once
// Kinds of inputs: what a name begins with, and what follows from it. Everything here is constant or a pure function.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "config/io_options.h"

namespace vfilter {

/// A setting of FFmpeg's, key and value.
struct SourceSetting {
    std::string_view key;
    std::string_view value;
};

struct Source {
    enum class Kind { file, camera, screen, graph, sound, address };

    std::string_view prefix;  ///< what names of this kind begin with; "" for a file
    std::string_view format;  ///< FFmpeg's input format, "" to find out
    Kind kind;
    bool keeps_prefix;  ///< whether FFmpeg wants the prefix as well
    bool live;          ///< gives pictures when they happen, and waits for nobody
    /// FFmpeg's whitelist: what is opened for this kind, and nothing that an answer from there could name besides.
    std::string_view protocols;
    std::string_view playlists;             ///< formats that may open further addresses, "" for none
    std::array<SourceSetting, 2> settings;  ///< for low delay; --input-option overrides them

    /// Opened only with --allow-network.
    [[nodiscard]] constexpr bool network() const { return kind == Kind::address; }
    /// In FFmpeg's library of devices.
    [[nodiscard]] constexpr bool device() const { return kind != Kind::file && kind != Kind::address; }
    /// Takes --camera-size and --camera-fps, and --audio-device.
    [[nodiscard]] constexpr bool sized() const { return kind == Kind::camera || kind == Kind::screen; }
    /// Sound alone, for --audio-device.
    [[nodiscard]] constexpr bool sound() const { return kind == Kind::sound; }
};

/// What the addresses that can be read from begin with, for people.
std::string known_addresses();

/// The kinds of sound devices.
std::vector<Source> sound_sources();

/// The kind that a name is of. `path` may be "-", which counts as a file.
const Source& source_of(std::string_view path);

/// Whether the name is a path in the file system that is read as a file; false for "-", cameras and addresses.
bool is_file_input(std::string_view path);

/// Whether the input is to be treated as live: by its nature, or with --live.
bool is_live(const InputOptions& options);

/// Whether --reconnect is about the input: it is one that can be lost and come back.
bool reopens(const InputOptions& options);

/// Of a name that is an address of no kind that is known, `rist://host` or `HTTP://host`: its scheme, else "". Such a
/// name is no file's either, but for one that begins with ./ or another folder.
std::string_view unknown_scheme(std::string_view name);

/// What the addresses of a table of kinds begin with, for people.
template <typename Kinds>
std::string addresses_among(const Kinds& kinds) {
    std::string prefixes;
    for (const auto& kind : kinds) {
        if (kind.prefix.ends_with("://")) {
            prefixes += (prefixes.empty() ? "" : ", ") + std::string(kind.prefix);
        }
    }
    return prefixes;
}

/// Why a name of no kind that is known is not opened: it is an address, and `deed` ("read from", "sent to") can be done
/// with `known` alone. "" where it is none.
std::string why_unknown(std::string_view name, std::string_view deed, const std::string& known);

/// Of an address: why what stands as its port is none, of which FFmpeg takes whatever is left of it. "" where it is
/// one.
std::string_view why_no_port(std::string_view address);

/// A name or any other text for people's eyes: addresses in it lose names and passwords of users, and their queries,
/// in which cameras take passwords too.
std::string shown_name(std::string_view text);

}  // namespace vfilter
