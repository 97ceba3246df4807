#pragma once
// Parts of a playlist (HLS, DASH) that could not be had. Its demuxers go on without them and say so to their log alone,
// as warnings, and what is wrong with a part is said by HTTP, whose lines belong to no input: only the thread tells.

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/damage.h"
#include "io/log/chunked_answers.h"

namespace vfilter {

/// One thread at a time.
class MissingParts {
public:
    /// While it lives, `parts` hears what calls of this thread make FFmpeg log. One at a time in a thread.
    class Hearing {
    public:
        explicit Hearing(MissingParts& parts);
        ~Hearing();
        Hearing(const Hearing&) = delete;
        Hearing& operator=(const Hearing&) = delete;
    };
    /// Who hears in this thread; null if nobody does.
    static MissingParts* of_this_thread();

    /// Whether a line is about parts, by the format that it is made of.
    [[nodiscard]] static bool is_about_parts(std::string_view format);
    /// Such a line, without the name of its object, which is `speaker`. Whether nothing else need be made of it.
    bool hear(std::string_view line, const void* speaker = nullptr);

    /// The input was opened: what cannot change any more is known. Warns of variants that are left aside and of
    /// subtitles.
    void opened();
    /// What is missing for as long as the input is read, wherever that begins: renditions.
    [[nodiscard]] const Damage& lasting() const { return lasting_; }
    /// How an input ended.
    enum class End {
        as_promised,
        uneven,  ///< some stream before the end that is promised
        early,   ///< all of them
    };
    /// The input ended: what had still to be tried again will not be.
    void end(End how);
    /// What was found to be missing since this was last asked.
    Damage take();

    /// Whether HTTP's answer has no size and ended without an error. FFmpeg takes that for one.
    [[nodiscard]] bool ends_anywhere() const { return ends_anywhere_; }
    /// HTTP's answer comes in chunks, and the last one has not come.
    [[nodiscard]] bool in_chunk() const { return answers_.any_open(); }
    /// The input is read on elsewhere.
    void sought() { answers_.leave_segments(); }
    /// How many places a playlist has named so far at which clocks may begin anew: the most that any has.
    [[nodiscard]] std::int64_t joints() const { return joints_; }
    /// How many parts were missing, at each of which the clock may step over what they held.
    [[nodiscard]] std::int64_t holes() const { return holes_; }
    /// The first thing that could not be had; "" if there was none.
    [[nodiscard]] const std::string& first() const { return first_; }

private:
    /// A segment that could not be opened. HLS opens segments ahead, and then tries once more.
    struct Failed {
        std::string request;
        std::string what;
    };

    bool settle_fragment(std::string_view line);
    void note(std::string_view line, const void* speaker);
    void unopened(std::string_view line);
    void left_aside(std::string_view line);
    void request(std::string_view line);
    void answer_ends(std::string_view line, const void* speaker);
    void begin_answer(std::string_view asked, const void* speaker);
    void add_joint();
    void tell_cut();
    void remember(const std::string& what);
    void missing(std::string what, std::int64_t count = 1);
    [[nodiscard]] std::string why() const;
    [[nodiscard]] std::string failed_segment() const;

    std::string request_;                                // the latest one: address and place in it
    std::string asked_;                                  // its address
    std::string address_;                                // as it is shown
    std::string reason_;                                 // why it failed, as HTTP says
    std::map<std::string, Failed, std::less<>> failed_;  // by playlist
    std::string fragment_;           // of DASH, the latest that failed, while nothing was said since; "" without
    std::vector<std::string> last_;  // those with which their stream ended
    bool by_duration_ = false;       // a list of DASH promises segments by a duration, not by a timeline
    std::map<std::string, std::string> unopened_;  // playlists: address, and why
    std::vector<std::string> subtitles_;
    std::string cut_;  // a segment that ended too early, if nobody goes on there; "" without
    bool ends_anywhere_ = false;
    ChunkedAnswers answers_;
    std::int64_t holes_ = 0;
    std::int64_t joints_ = 0;
    std::string list_;                                         // what was asked for last; a list, where joints come
    std::map<std::string, std::int64_t, std::less<>> joined_;  // by list that does not number its joints, all so far
    std::int64_t joints_here_ = 0;                             // in the list that is read now
    std::int64_t joints_before_ = -1;                          // that have left it; -1 where it does not say
    std::int64_t joints_from_ = -1;                            // that had left the first list that says
    std::string first_;
    Damage found_;
    Damage lasting_;
};

}  // namespace vfilter
