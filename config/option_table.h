#pragma once
// The table of options: parser, --help, configuration file, man page and completion walk it. Filters are not in it:
// each row of filters/filters.h becomes an option by itself.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/options.h"

namespace vfilter {

/// Something to do instead of filtering a video.
enum class Action { run, help, version, list, print_config, doctor, mend, complete };

/// What --list takes, separated by '|'.
inline constexpr std::string_view list_names = "filters|presets|devices|encoders|formats|pixel-formats|cameras";

/// Values KEY=VALUE.
using Pairs = std::vector<std::pair<std::string, std::string>>;

/// What a configuration file that names an encoder says to it. Its preset is "" once something later has set one.
struct FileEncoder {
    std::string codec;
    std::string preset;
    Pairs options;
};

/// What a command line says.
struct Command {
    Action action = Action::run;
    std::string topic;                 ///< of --help, or what to --list
    std::vector<std::string> typed{};  ///< of --complete
    Options options;
    Region region{};             ///< of --region
    bool dither = false;         ///< --dither
    FileEncoder file_encoder{};  ///< of the last file that names one
};

/// Options that belong together, by the name that they have in --help all and the man page. Each but `other` is in a
/// topic of help whole.
namespace option_group {
inline constexpr std::string_view files = "Files";
inline constexpr std::string_view live = "Live input";
inline constexpr std::string_view encoding = "Encoding";
inline constexpr std::string_view streams = "Streams, sound and container";
inline constexpr std::string_view part = "Part of the input";
inline constexpr std::string_view machine = "Machine";
inline constexpr std::string_view telling = "Progress and reports";
inline constexpr std::string_view other = "Other";
}  // namespace option_group

/// How a value is read and shown. Most are made by config/option_fields.h of the member that holds it.
struct OptionValue {
    /// Applies the value; of a flag "", or "false" where a configuration file takes it back. Throws Error(usage) if it
    /// is wrong. Null for what is read elsewhere.
    void (*apply)(Command&, std::string_view option, const std::string& text) = nullptr;
    /// The value that would give these options, or "" if it is the default; null if it stands in no configuration.
    std::string (*show)(const Options&) = nullptr;
    /// The values of an option that may be repeated, in order: a list in a configuration file. Null for others.
    std::vector<std::string> (*values)(const Options&) = nullptr;
};

struct OptionDef {
    std::string_view name;        ///< without the dashes
    std::string_view short_name;  ///< one letter, or ""
    std::string_view argument;    ///< placeholder of the value in help texts; "" for a flag
    std::string_view group;       ///< of option_group::
    std::string_view help;
    std::string_view choices;  ///< values separated by '|', for completion; @WHAT stands for --list WHAT; "" for any
    OptionValue value;

    /// Whether it may stand in a configuration file.
    [[nodiscard]] bool in_config() const { return value.show != nullptr; }
    /// See OptionValue::apply.
    void apply(Command& command, const std::string& text) const { value.apply(command, name, text); }
};

std::span<const OptionDef> option_table();
/// Applies a value. Throws Error(usage) if it is wrong, or where a value is empty: a script's variable that was not
/// set.
void apply_value(Command& command, const OptionDef& def, const std::string& value);
const OptionDef* find_option(std::string_view name);

/// "12.5", "1:02:03.5" or "120f". Throws Error(usage).
Position parse_position(std::string_view option, const std::string& text);

}  // namespace vfilter
