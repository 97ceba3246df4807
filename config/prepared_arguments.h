#pragma once
// The words of a command line, as the library that parses them takes them: options whose value may be left out, or may
// begin with a dash, are made unambiguous.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/option_table.h"

namespace vfilter {

/// Stands for a filter without arguments: CLI11 takes no empty value.
inline constexpr std::string_view no_arguments = "()";

struct PreparedArguments {
    std::vector<std::string> arguments;
    std::vector<std::string> configs;  ///< values of --config, which are not among the arguments
    std::string missing;               ///< the sentence for the first filter without its arguments, "" if none
};

/// What --help, which wins over all other words whatever they are, is asked about: "" for all, nothing without it.
std::optional<std::string> help_topic_of(std::span<const char* const> arguments);

/// Throws Error if --config has no value.
PreparedArguments prepare_arguments(std::span<const std::string> arguments);

/// The sentence for an option whose value is not there.
std::string without_value(const OptionDef& def);

/// A name that begins as an option does, which it cannot be: ours have one letter there, or two dashes.
bool is_dashed_name(const std::string& word);

}  // namespace vfilter
