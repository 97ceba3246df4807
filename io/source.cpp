#include "io/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "config/error.h"

namespace vfilter {

namespace {

using SourceKind = Source::Kind;

constexpr std::array<SourceSetting, 2> no_settings{};
// Kernel's clock, not the wall's: what the camera says.
constexpr std::array<SourceSetting, 2> camera_settings{{{"timestamps", "default"}, {"fpsprobesize", "0"}}};
// The rate is what is asked for: it need not be measured, which would take seconds.
constexpr std::array<SourceSetting, 2> screen_settings{{{"framerate", "30"}, {"fpsprobesize", "0"}}};
// Over TCP nothing is lost and nothing waits to be put in order; max_delay, in microseconds, is for UDP.
constexpr std::array<SourceSetting, 2> rtsp_settings{{{"rtsp_flags", "prefer_tcp"}, {"max_delay", "100000"}}};
constexpr std::array<SourceSetting, 2> rtp_settings{{{"max_delay", "100000"}, {}}};
// Packets that came while nobody read are lost, which the decoder tells; they are no reason to end.
constexpr std::array<SourceSetting, 2> udp_settings{{{"overrun_nonfatal", "1"}, {}}};

// A sender over TCP or HTTP waits for its reader, and what it sends may be a file: live only with --live.
//   prefix, format, kind, keeps prefix, live, protocols, playlists, settings
constexpr Source sources[] = {
    {"/dev/video", "v4l2", SourceKind::camera, true, true, "none", "", camera_settings},
    {"/dev/v4l/", "v4l2", SourceKind::camera, true, true, "none", "", camera_settings},
    {"x11grab:", "x11grab", SourceKind::screen, false, true, "none", "", screen_settings},
    {"lavfi:", "lavfi", SourceKind::graph, false, false, "none", "", no_settings},
    {"alsa:", "alsa", SourceKind::sound, false, true, "none", "", no_settings},
    {"pulse:", "pulse", SourceKind::sound, false, true, "none", "", no_settings},
    {"rtsp://", "rtsp", SourceKind::address, true, true, "rtp,udp,tcp", "", rtsp_settings},
    {"rtsps://", "rtsp", SourceKind::address, true, true, "rtp,udp,tcp,tls", "", rtsp_settings},
    {"rtp://", "rtp", SourceKind::address, true, true, "rtp,udp", "sdp", rtp_settings},
    {"sdp:", "sdp", SourceKind::address, false, true, "file,rtp,udp", "", rtp_settings},
    {"udp://", "", SourceKind::address, true, true, "udp", "", udp_settings},
    {"srt://", "", SourceKind::address, true, true, "srt", "", no_settings},
    {"rtmp://", "", SourceKind::address, true, true, "rtmp,tcp", "", no_settings},
    {"rtmps://", "", SourceKind::address, true, true, "rtmps,tls,tcp", "", no_settings},
    {"tcp://", "", SourceKind::address, true, false, "tcp", "", no_settings},
    {"http://", "", SourceKind::address, true, false, "http,https,httpproxy,tls,tcp,crypto", "hls,dash", no_settings},
    {"https://", "", SourceKind::address, true, false, "http,https,httpproxy,tls,tcp,crypto", "hls,dash", no_settings},
};
constexpr Source plain_file{"", "", SourceKind::file, true, false, "file,pipe", "", no_settings};

constexpr std::string_view end_of_host = "/?#";  // as FFmpeg has it: a password may hold anything else
constexpr std::string_view end_of_shown_host = "/?# \t\r\n";
constexpr std::string_view end_of_address = "\"' \t\r\n";

}  // namespace

const Source& source_of(std::string_view path) {
    const auto* const found = std::ranges::find_if(sources, [&](const Source& source) {
        return path.size() > source.prefix.size() && path.starts_with(source.prefix);
    });
    return found == std::end(sources) ? plain_file : *found;
}

std::string known_addresses() {
    return addresses_among(sources);
}

std::vector<Source> sound_sources() {
    std::vector<Source> found;
    std::ranges::copy_if(sources, std::back_inserter(found), [](const Source& source) { return source.sound(); });
    return found;
}

bool is_file_input(std::string_view path) {
    return path != "-" && source_of(path).prefix.empty();
}

bool is_live(const InputOptions& options) {
    return options.live || source_of(options.path).live;
}

// RFC 3986, 3.1.
std::string_view unknown_scheme(std::string_view name) {
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    constexpr std::string_view further = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
    const std::size_t mark = name.find("://");
    if (mark == std::string_view::npos || mark == 0 || letters.find(name.front()) == std::string_view::npos ||
        name.find_first_not_of(further) != mark) {
        return "";
    }
    return name.substr(0, mark);
}

std::string why_unknown(std::string_view name, std::string_view deed, const std::string& known) {
    const std::string_view scheme = unknown_scheme(name);
    if (scheme.empty()) {
        return "";
    }
    if (name.size() == scheme.size() + 3) {
        return "the address names no host";
    }
    return fmt::format("nothing is {} {}:// (but {} {}; a file of that name: ./{})", deed, scheme,
                       deed.substr(deed.rfind(' ') + 1), known, shown_name(name));
}

bool names_local_port(const InputOptions& options) {
    constexpr std::string_view keys[] = {"localport", "localrtpport", "local_rtpport"};
    const std::string_view path = options.path;
    const std::size_t query = path.find('?');
    return std::ranges::any_of(keys, [&](std::string_view key) {
        const std::string setting = std::string(key) + "=";
        return find_option(options.input_options, key) != nullptr ||
               (query != std::string_view::npos && path.find(setting, query) != std::string_view::npos);
    });
}

std::string_view why_no_port(std::string_view address, bool local) {
    constexpr std::string_view without_usual_port[] = {"udp", "rtp", "tcp", "srt"};
    constexpr std::string_view mark = "://";
    const std::size_t begin = address.find(mark);
    if (begin == std::string_view::npos) {
        return "";
    }
    std::string_view host = address.substr(begin + mark.size());
    host = host.substr(0, host.find_first_of(end_of_host));
    host = host.substr(host.rfind('@') + 1);  // all of it where there is none
    const std::size_t colon = host.find(':', host.starts_with('[') ? std::min(host.find(']'), host.size()) : 0);
    if (colon == std::string_view::npos || colon + 1 == host.size()) {
        const bool needed =
            std::ranges::find(without_usual_port, address.substr(0, begin)) != std::end(without_usual_port);
        return needed && !local ? "the address names no port (HOST:PORT)" : "";
    }
    const std::string_view port = host.substr(colon + 1);
    int number = 0;
    const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), number);
    constexpr int most = 65535;
    const bool possible = error == std::errc() && end == port.data() + port.size() && number >= 0 && number <= most;
    return possible ? "" : "ports are numbers up to 65535";
}

bool reopens(const InputOptions& options) {
    const Source& source = source_of(options.path);
    return options.reconnect > 0 && (source.live || (source.network() && options.live));
}

std::string shown_name(std::string_view text) {
    std::string shown;
    // An address alone may hold anything; in a line it ends where a word does.
    const bool alone = source_of(text).network();
    const std::string_view host_ends = alone ? end_of_host : end_of_shown_host;
    for (;;) {
        const std::size_t mark = text.find("://");
        if (mark == std::string_view::npos) {
            return shown.append(text);
        }
        const std::size_t host = mark + 3;
        shown += text.substr(0, host);
        text.remove_prefix(host);
        // The last one, as FFmpeg does: a password may hold an @.
        const std::string_view authority = text.substr(0, text.find_first_of(host_ends));
        if (const std::size_t at = authority.rfind('@'); at != std::string_view::npos) {
            shown += "...";
            text.remove_prefix(at);
        }
        const std::string_view address = alone ? text : text.substr(0, text.find_first_of(end_of_address));
        if (const std::size_t query = address.find('?'); query != std::string_view::npos) {
            shown.append(address.substr(0, query + 1)).append("...");
            text.remove_prefix(address.size());
        }
    }
}

}  // namespace vfilter
