#include "io/codec/shown_words.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

namespace vfilter {

namespace {

constexpr int fields_before_text = 8;

// Whether drawing is on behind a block of tags, {\an7\p1}; as before where it says nothing of it.
bool draws_behind(std::string_view tags, bool before) {
    constexpr std::string_view tag = "\\p";
    for (std::size_t at = tags.find(tag); at != std::string_view::npos; at = tags.find(tag, at + 1)) {
        const std::string_view scale = tags.substr(at + tag.size());
        if (!scale.empty() && std::isdigit(static_cast<unsigned char>(scale.front())) != 0) {
            before = scale.front() != '0';
        }
    }
    return before;
}

// A letter of a text, as a reader sees it, in as many bytes as it takes there; \n for a new line.
struct Piece {
    std::size_t size;
    char letter;
    std::string_view text;
};

Piece next_piece(std::string_view rest) {
    const char second = rest.front() == '\\' && rest.size() > 1 ? rest[1] : '\0';
    switch (second) {
        case 'N':
        case 'n':
            return {2, '\n', rest.substr(0, 2)};
        case 'h':
            return {2, ' ', " "};
        case '{':
        case '}':
            return {2, second, rest.substr(1, 1)};
        default:
            return {1, rest.front(), rest.substr(0, 1)};
    }
}

// A letter of WebVTT.
std::string_view escaped(const char& letter) {
    switch (letter) {
        case '&':
            return "&amp;";
        case '<':
            return "&lt;";
        case '>':
            return "&gt;";
        default:
            return {&letter, 1};
    }
}

}  // namespace

bool WordsInTurn::add(ShownWords words) {
    words.begin = std::max(words.begin, at_);
    if (words.end <= words.begin) {
        return false;
    }
    show_until(words.begin);
    at_ = words.begin;
    if (is_full()) {
        return false;
    }
    shown_.push_back(std::move(words));
    return true;
}

bool WordsInTurn::is_full() const {
    constexpr std::size_t most_shown = 500;
    constexpr std::size_t most_texts = 100;
    if (shown_.size() < most_texts || shown_.size() >= most_shown) {
        return shown_.size() >= most_shown;
    }
    std::set<std::string_view> texts;
    for (const ShownWords& shown : shown_) {
        for (const EventLine& line : shown.lines) {
            texts.insert(line.words);
        }
    }
    return texts.size() >= most_texts;
}

// Moves at_ there, from one end to the next.
void WordsInTurn::show_until(std::int64_t time) {
    while (!shown_.empty() && at_ < time) {
        const std::int64_t end = std::min(time, std::ranges::min(shown_, {}, &ShownWords::end).end);
        ShownWords now{at_, end, {}};
        std::set<std::string_view> words;
        for (const ShownWords& shown : shown_) {
            std::ranges::copy_if(shown.lines, std::back_inserter(now.lines),
                                 [&](const EventLine& line) { return words.insert(line.words).second; });
        }
        if (!done_.empty() && done_.back().end == now.begin &&
            std::ranges::equal(done_.back().lines, now.lines, {}, &EventLine::words, &EventLine::words)) {
            done_.back().end = now.end;
        } else {
            done_.push_back(std::move(now));
        }
        at_ = end;
        std::erase_if(shown_, [&](const ShownWords& shown) { return shown.end <= end; });
    }
}

std::vector<ShownWords> WordsInTurn::take_begun(std::int64_t time) {
    while (!shown_.empty() && at_ <= time) {
        show_until(std::ranges::min(shown_, {}, &ShownWords::end).end);
    }
    return std::exchange(done_, {});
}

std::vector<ShownWords> WordsInTurn::take(std::int64_t time) {
    std::int64_t last = at_;
    for (const ShownWords& shown : shown_) {
        last = shown.end <= time ? std::max(last, shown.end) : last;
    }
    show_until(last);
    return std::exchange(done_, {});
}

EventLine read_event(const std::string& event, const EventRules& rules) {
    std::size_t at = 0;
    for (int i = 0; i < fields_before_text; ++i) {
        const std::size_t comma = event.find(',', at);
        if (comma == std::string::npos) {
            return {event, event};
        }
        at = comma + 1;
    }
    EventLine line{event.substr(0, at), ""};
    bool draws = false;
    bool fresh = true;  // no letter in this line of the text yet
    while (at < event.size()) {
        const std::string_view rest = std::string_view(event).substr(at);
        const std::size_t close = rest.front() == '{' ? rest.find('}') : std::string_view::npos;
        const bool tags = close != std::string_view::npos && rest.starts_with("{\\");
        if (tags || (close != std::string_view::npos && rules.comments)) {
            draws = draws_behind(rest.substr(0, close + 1), draws);
            line.event += tags ? rest.substr(0, close + 1) : "";
            at += close + 1;
            continue;
        }
        const Piece piece = next_piece(rest);
        at += piece.size;
        if (draws || (piece.letter == '\n' && fresh && rules.markup)) {
            continue;
        }
        fresh = piece.letter == '\n';
        line.words += piece.letter;
        line.event += fresh ? std::string_view("\\N") : rules.markup ? escaped(piece.letter) : piece.text;
    }
    const bool blank = std::ranges::all_of(
        line.words, [](char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; });
    line.words = blank ? "" : line.words;
    return line;
}

}  // namespace vfilter
