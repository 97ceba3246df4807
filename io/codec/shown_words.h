#pragma once
// Lines of subtitles that overlap in time, in a form that shows one text after the other.

#include <cstdint>
#include <string>
#include <vector>

namespace vfilter {

/// An event of ASS in libavcodec's form: eight fields, and the text.
struct EventLine {
    std::string event;  ///< what an encoder is given
    std::string words;  ///< of the text, without tags; "" if there are none
};

/// What becomes of an event that another form of subtitles is made of.
struct EventRules {
    bool comments = false;  ///< braces without a tag hold what nobody is to see, as in ASS itself
    bool markup = false;  ///< the encoder writes the text as it is into a form in which <, > and & mean something, and
                          ///< empty lines end it: WebVTT (W3C, 6.4)
};

/// Without drawings (\p), which are coordinates, and with a blank for a hard one (\h).
EventLine read_event(const std::string& event, const EventRules& rules = {});

/// What is shown between two moments, in any clock: all of it, in the order in which it came.
struct ShownWords {
    std::int64_t begin;
    std::int64_t end;
    std::vector<EventLine> lines;
};

/// mov_text holds the duration of each sample and no time (ISO 14496-12, 8.6.1.2), so that an event that begins while
/// another is shown would begin at its end. Here each moment has one text, of all that is shown then; the same
/// words (layers of an outline) are there once. One thread.
class WordsInTurn {
public:
    /// What is shown from `words.begin` on, in the order of beginnings. What comes too late for that begins where the
    /// one before began, or where what was taken ends; false where it had ended by then, and is left out. So is what
    /// would be shown beside 100 other texts, or 500 that may be the same, as it is written with each of them.
    bool add(ShownWords words);
    /// Nothing that begins before `time` will be added any more: what is shown up to there, as far as that is whole.
    std::vector<ShownWords> take(std::int64_t time);
    /// The same, and all that has begun by `time`, up to where it ends by what is known then. What is added later for a
    /// moment before that end begins there.
    std::vector<ShownWords> take_begun(std::int64_t time);
    /// Up to where everything was taken.
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
