#include "io/input/source_check.h"

#include <fmt/format.h>

#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "config/error.h"
#include "io/graph/lavfi_graph.h"
#include "io/input/input_reach.h"
#include "io/picture_names.h"
#include "io/source.h"

namespace vfilter {

namespace {

void check_added(const InputOptions& options) {
    const auto refuse = [](const std::string& name, std::string_view why) {
        throw Error(ExitCode::usage, fmt::format("--add: {}: {}", shown_name(name), why));
    };
    int standard = options.path == "-" ? 1 : 0;
    for (const AddedFile& file : options.added) {
        if (is_live(options)) {
            refuse(options.path, "is live, so no file can be added to it; --audio-device records sound");
        }
        if (!source_of(file.path).prefix.empty() || !unknown_scheme(file.path).empty()) {
            refuse(file.path, "files are added, and no devices or addresses");
        }
        standard += file.path == "-" ? 1 : 0;
        if (standard > 1) {
            refuse(file.path, "standard input is read once");
        }
    }
}

// They are opened when their turn comes, and looked at before.
void check_appended(const InputOptions& options) {
    const auto refuse = [](const std::string& name, std::string_view why) {
        throw Error(ExitCode::usage, fmt::format("--append: {}: {}", shown_name(name), why));
    };
    if (options.appended.empty()) {
        return;
    }
    if (is_live(options)) {
        refuse(options.path, "is live, and has no end behind which a file could come");
    }
    if (!options.audio_device.empty()) {
        refuse(options.appended.front(), "--audio-device is for one live input");
    }
    std::vector<std::string> names = options.appended;
    names.insert(names.begin(), options.path);
    for (const std::string& name : names) {
        if (!source_of(name).prefix.empty() || !unknown_scheme(name).empty()) {
            refuse(name, "files follow each other, and no devices or addresses");
        }
        std::error_code error;
        if (name == "-" || (std::filesystem::exists(name, error) && !std::filesystem::is_regular_file(name, error))) {
            refuse(name, "has to be a file with a name, as each is looked at before its turn comes");
        }
        if (find_pictures(name)) {
            refuse(name, "is a sequence of pictures, which is one input; videos follow each other");
        }
    }
}

}  // namespace

void check_source(const InputRequest& options) {
    check_added(options);
    check_appended(options);
    const Source& source = source_of(options.path);
    // Unless there is no reason.
    const auto refuse = [&](std::string_view why) {
        if (!why.empty()) {
            throw Error(ExitCode::usage, fmt::format("{}: {}", shown_name(options.path), why));
        }
    };
    if (source.prefix.empty()) {
        refuse(why_unknown(options.path, "read from", known_addresses()));
    }
    if (source.network() && !options.allow_network) {
        refuse("an address is opened only with --allow-network");
    }
    if (source.network()) {
        refuse(why_no_port(options.path, names_local_port(options)));
    }
    if (source.format == "x11grab" && !options.allow_network &&
        is_remote_display(std::string_view(options.path).substr(source.prefix.size()))) {
        refuse("a display with a host is reached over the network: that needs --allow-network");
    }
    if (source.sound()) {
        refuse("is sound alone; beside a camera or a screen --audio-device takes it");
    }
    if (!options.audio_device.empty()) {
        if (!source.sized()) {
            refuse("no camera or screen, which --audio-device is for");
        }
        if (options.audio_device != "default" && !source_of(options.audio_device).sound()) {
            throw Error(ExitCode::usage,
                        fmt::format("--audio-device: '{}' is none of default, alsa:NAME, pulse:NAME (--list cameras "
                                    "has those that there are)",
                                    options.audio_device));
        }
        if (options.audio_device.starts_with("alsa:") && !options.allow_files &&
            names_files_to_alsa(options.audio_device)) {
            throw Error(ExitCode::usage,
                        fmt::format("--audio-device: '{}' names a plug-in of ALSA's that writes a file "
                                    "or reads from a socket: that needs --allow-files",
                                    options.audio_device));
        }
    }
    check_reach(options);
    if (source.format == "lavfi") {
        std::string wrong = overreach(std::string_view(options.path).substr(source.prefix.size()), options);
        for (const auto& [key, value] : options.input_options) {
            // The device's option of that name wins over the input's.
            wrong = wrong.empty() && key == "graph" ? overreach(value, options) : wrong;
        }
        refuse(wrong);
    }
    if (!source.format.empty() && !options.format.empty()) {
        refuse(fmt::format("its format is {}, and --input-format cannot be given", source.format));
    }
    if (!source.sized() && (!options.camera_size.empty() || options.camera_fps)) {
        refuse("no camera or screen, which --camera-size and --camera-fps are for");
    }
    if (options.start && is_live(options)) {
        refuse("a live input begins now: --start cannot be given (--duration and --frames can)");
    }
    if (options.end && options.end->chapter && is_live(options)) {
        refuse("a live input has no chapters: --end takes a time (--duration and --frames end it, too)");
    }
    if (options.reconnect > 0 && !reopens(options) && !options.streamed) {
        refuse(
            "--reconnect is for live inputs: cameras, screens, and addresses that are live by themselves or by --live; "
            "and for outputs that are addresses");
    }
}

}  // namespace vfilter
