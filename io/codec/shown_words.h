#pragma once
// Subtitle lines that overlap in time, in a format that shows one text after the other.

#include <cstdint>
#include <string>
#include <vector>

namespace vfilter {

/// An ASS event in libavcodec's form: eight fields, and the text.
struct EventLine {
    std::string event;  ///< what an encoder is given
    std::string words;  ///< of the text, without tags; "" if there are none
};

/// How an event is treated when another subtitle format is made from it.
struct EventRules {
    bool comments = false;  ///< braces without a tag contain text that is not displayed, as in ASS itself
    bool markup = false;  ///< the encoder writes the text as it is into a form in which <, > and & mean something, and
                          ///< empty lines end it: WebVTT (W3C, 6.4)
};

/// Without drawings (\p), which are coordinates, and with a space for a hard one (\h).
EventLine read_event(const std::string& event, const EventRules& rules = {});

/// What is displayed between two moments, in any clock: all of it, in the order in which it arrived.
struct ShownWords {
    std::int64_t begin;
    std::int64_t end;
    std::vector<EventLine> lines;
};

/// mov_text stores the duration of each sample and no time (ISO 14496-12, 8.6.1.2), so that an event that begins while
/// another is displayed would begin at the other's end. Here each moment has one text, which combines all that is
/// displayed then; identical text (layers of an outline) is included once. One thread.
class WordsInTurn {
public:
    /// Adds what is displayed from `words.begin` on, in the order of beginnings. What arrives too late for that begins
    /// where the previous one began, or where what was taken ends; false if it had ended by then, and is dropped. Also
    /// dropped is what would be displayed together with 100 other texts, or 500 that may be the same, as it is written
    /// with each of them.
    bool add(ShownWords words);
    /// Nothing that begins before `time` will be added any more: returns what is displayed up to there, as far as that
    /// is complete.
    std::vector<ShownWords> take(std::int64_t time);
    /// The same, plus everything that has begun by `time`, up to where it ends according to what is known then. What is
    /// added later for a moment before that end begins there.
    std::vector<ShownWords> take_begun(std::int64_t time);
    /// The time up to which everything has been taken.
    [[nodiscard]] std::int64_t taken_until() const { return at_; }
    /// Nothing will be added any more.
    std::vector<ShownWords> finish() { return take(INT64_MAX); }

private:
    [[nodiscard]] bool is_full() const;
    void show_until(std::int64_t time);

    std::vector<ShownWords> shown_;  // at at_
    std::vector<ShownWords> done_;
    std::int64_t at_ = INT64_MIN;
};

}  // namespace vfilter
