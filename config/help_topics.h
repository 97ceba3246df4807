#pragma once
// What --help tells at length, by topic.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/option_table.h"

namespace vfilter {

struct HelpTopic {
    std::string_view name;
    std::string_view summary;         ///< for the list of topics
    std::string_view text;            ///< paragraphs; lines that begin with a blank are kept as they are
    std::string_view group{};         ///< of options, all of which belong to it; "" for none
    std::string_view options{};       ///< names of others that do, too, separated by blanks
    std::string (*more)() = nullptr;  ///< made from another table; comes last
};

std::span<const HelpTopic> help_topics();
/// The topic of that name, or null.
const HelpTopic* find_topic(std::string_view name);
/// All names that --help takes: topics, filters, options.
std::vector<std::string_view> help_names();

/// "-y, --overwrite" or "    --codec NAME".
std::string option_head(const OptionDef& def);
/// Those of its group, and the others that it names.
std::vector<const OptionDef*> options_of(const HelpTopic& topic);
/// Rows of help for them.
std::string option_rows(const HelpTopic& topic);
/// Rows of help for those of the named options that there are.
std::string option_rows(std::string_view names);
/// All options under the names of their groups.
std::string all_option_rows();
/// The filters, a row each.
std::string filter_rows();

}  // namespace vfilter
