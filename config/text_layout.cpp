#include "config/text_layout.h"

#include <fmt/format.h>

namespace vfilter {

namespace {

void wrap_line(std::string_view line, std::size_t indent, std::string& text) {
    std::size_t used = 0;
    while (!line.empty()) {
        const std::string_view word = line.substr(0, line.find(' '));
        line.remove_prefix(word.size() < line.size() ? word.size() + 1 : word.size());
        if (used > 0 && indent + used + 1 + word.size() > help_width) {
            text += '\n';
            used = 0;
        }
        text += used == 0 ? std::string(indent, ' ') : " ";
        text += word;
        used += word.size() + (used == 0 ? 0 : 1);
    }
    text += '\n';
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t indent) {
    std::string result;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(line.size() < text.size() ? line.size() + 1 : line.size());
        if (line.empty() || line.front() == ' ') {
            result += fmt::format("{}\n", line);
        } else {
            wrap_line(line, indent, result);
        }
    }
    return result;
}

std::string help_row(std::string_view head, std::string_view help, std::size_t column) {
    const std::string lines = wrapped(help, column);
    const std::string start = fmt::format("  {}", head);
    if (lines.empty()) {
        return start + '\n';
    }
    return start.size() > help_width   ? wrapped(head, 2) + lines
           : start.size() + 1 > column ? fmt::format("{}\n{}", start, lines)
                                       : fmt::format("{:<{}}{}", start, column, lines.substr(column));
}

}  // namespace vfilter
