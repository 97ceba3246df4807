#pragma once
// Kinds of inputs: the prefix of a name, and what follows from it. Everything here is constant or a pure function.

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "config/io_options.h"

namespace vfilter {

/// An FFmpeg setting, key and value.
struct SourceSetting {
    std::string_view key;
    std::string_view value;
};

struct Source {
    enum class Kind { file, camera, screen, graph, sound, address };

    std::string_view prefix;  ///< the beginning of names of this kind; "" for a file
    std::string_view format;  ///< FFmpeg's input format, "" to find out
    Kind kind;
    bool keeps_prefix;  ///< whether FFmpeg needs the prefix as well
    bool live;          ///< pictures arrive when they happen, and wait for nobody
    /// FFmpeg's whitelist: only these are opened for this kind, whatever an answer from there names.
    std::string_view protocols;
    std::string_view playlists;             ///< formats that may open further addresses, "" for none
    std::array<SourceSetting, 2> settings;  ///< for low delay; --input-option overrides them

    /// Opened only with --allow-network.
    [[nodiscard]] constexpr bool network() const { return kind == Kind::address; }
    /// Needs FFmpeg's device library.
    [[nodiscard]] constexpr bool device() const { return kind != Kind::file && kind != Kind::address; }
    /// Accepts --camera-size and --camera-fps, and --audio-device.
    [[nodiscard]] constexpr bool sized() const { return kind == Kind::camera || kind == Kind::screen; }
    /// Audio only, for --audio-device.
    [[nodiscard]] constexpr bool sound() const { return kind == Kind::sound; }
};

/// The beginnings of addresses that can be read from, for display.
std::string known_addresses();

/// The kinds of sound devices.
std::vector<Source> sound_sources();

/// The kind that a name belongs to. `path` may be "-", which counts as a file.
const Source& source_of(std::string_view path);

/// Whether the name is a file system path that is read as a file; false for "-", cameras and addresses.
bool is_file_input(std::string_view path);

/// Whether the input is to be treated as live: by its nature, or with --live.
bool is_live(const InputOptions& options);

/// Whether --reconnect applies to the input: whether it can be lost and come back.
bool reopens(const InputOptions& options);

/// For a name that is an address of an unknown kind, `rist://host` or `HTTP://host`: its scheme, otherwise "". Such a
/// name is not a file name either, unless it begins with ./ or another folder.
std::string_view unknown_scheme(std::string_view name);

/// The beginnings of addresses in a table of kinds, for display.
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

/// Why a name of an unknown kind is not opened: it is an address, and only `known` ones can be `deed` ("read from",
/// "sent to"). "" if it is not an address.
std::string why_unknown(std::string_view name, std::string_view deed, const std::string& known);

/// For an address: why its port is invalid, of which FFmpeg would use whatever is left, or that it is missing where the
/// kind of address has no usual one. `local` is whether a port of this machine is given besides, at which to receive.
/// "" if all is well.
std::string_view why_no_port(std::string_view address, bool local = false);

/// Whether an address to receive at, or its options, name a port of this machine besides that in front of the path.
bool names_local_port(const InputOptions& options);

/// A name or any other text for display: addresses in it lose user names, passwords and queries, as cameras accept
/// passwords in queries, too.
std::string shown_name(std::string_view text);

}  // namespace vfilter
