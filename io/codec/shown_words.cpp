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

}  // namespace

bool WordsInTurn::add(ShownWords words) {
    words.begin = std::max(words.begin, at_);
    if (words.end && *words.end <= words.begin) {
        return false;
    }
    show_until(words.begin);
    // What has no end is replaced.
    std::erase_if(shown_, [&](const ShownWords& shown) { return !shown.end; });
    at_ = words.begin;
    shown_.push_back(std::move(words));
    return true;
}

// Moves at_ there, from one end to the next.
void WordsInTurn::show_until(std::int64_t time) {
    while (!shown_.empty() && at_ < time) {
        std::int64_t end = time;
        for (const ShownWords& shown : shown_) {
            end = std::min(end, shown.end.value_or(time));
        }
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
        std::erase_if(shown_, [&](const ShownWords& shown) { return shown.end && *shown.end <= end; });
    }
}

std::vector<ShownWords> WordsInTurn::take(std::int64_t time) {
    std::int64_t last = at_;
    for (const ShownWords& shown : shown_) {
        if (shown.end && *shown.end <= time) {
            last = std::max(last, *shown.end);
        }
    }
    show_until(last);
    return std::exchange(done_, {});
}

std::vector<ShownWords> WordsInTurn::finish() {
    std::int64_t last = at_;
    for (const ShownWords& shown : shown_) {
        last = std::max(last, shown.end.value_or(last));
    }
    show_until(last);
    for (ShownWords& shown : shown_) {
        shown.begin = std::max(shown.begin, at_);
        done_.push_back(std::move(shown));
    }
    shown_.clear();
    return std::exchange(done_, {});
}

EventLine read_event(const std::string& event) {
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
    while (at < event.size()) {
        const std::size_t close = event[at] == '{' ? event.find('}', at) : std::string::npos;
        const std::size_t end = close == std::string::npos ? at + 1 : close + 1;
        const std::string piece = event.substr(at, end - at);
        if (close != std::string::npos) {
            draws = draws_behind(piece, draws);
            line.event += piece;
        } else if (!draws) {
            line.event += piece;
            line.words += piece;
        }
        at = end;
    }
    const bool blank = std::ranges::all_of(
        line.words, [](char letter) { return std::isspace(static_cast<unsigned char>(letter)) != 0; });
    line.words = blank ? "" : line.words;
    return line;
}

}  // namespace vfilter
