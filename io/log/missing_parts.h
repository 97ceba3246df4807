#pragma once
// Parts of a playlist (HLS, DASH) that could not be obtained. Its demuxers continue without them and mention it only in
// their log, as warnings. What is wrong with a part is logged by HTTP, whose lines do not belong to any input: only the
// thread identifies it.

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
    /// While it exists, `parts` receives what FFmpeg logs in calls from this thread. One at a time per thread.
    class Hearing {
    public:
        explicit Hearing(MissingParts& parts);
        ~Hearing();
        Hearing(const Hearing&) = delete;
        Hearing& operator=(const Hearing&) = delete;
    };
    /// The receiver in this thread; null if there is none.
    static MissingParts* of_this_thread();

    /// Whether a line is about parts, according to its format string.
    [[nodiscard]] static bool is_about_parts(std::string_view format);
    /// Such a line, without the name of its object, which is `speaker`. Returns whether nothing else needs to be done
    /// with it.
    bool hear(std::string_view line, const void* speaker = nullptr);

    /// The input was opened: what cannot change any more is known. Warns about variants that are not used and about
    /// subtitles.
    void opened();
    /// What is missing whenever the input is read, wherever reading begins: renditions.
    [[nodiscard]] const Damage& lasting() const { return lasting_; }
    /// How an input ended.
    enum class End {
        as_promised,
        uneven,  ///< some streams ended before the promised end
        early,   ///< all of them ended before it
    };
    /// The input ended: outstanding retries will not happen.
    void end(End how);
    /// What was found to be missing since the last call.
    Damage take();

    /// Whether the HTTP response has no size and ended without an error. FFmpeg treats that as one.
    [[nodiscard]] bool ends_anywhere() const { return ends_anywhere_; }
    /// The HTTP response is chunked, and the last chunk has not arrived.
    [[nodiscard]] bool in_chunk() const { return answers_.any_open(); }
    /// Reading continues at another position.
    void sought() { answers_.leave_segments(); }
    /// The number of places so far at which, according to a playlist, clocks may restart: the maximum over all
    /// playlists.
    [[nodiscard]] std::int64_t joints() const { return joints_; }
    /// How many parts were missing; at each of them the clock may step over their contents.
    [[nodiscard]] std::int64_t holes() const { return holes_; }
    /// The first part that could not be obtained; "" if there was none.
    [[nodiscard]] const std::string& first() const { return first_; }

private:
    /// A segment that could not be opened. HLS opens segments in advance, and then tries once more.
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
    std::string address_;                                // for display
    std::string reason_;                                 // why it failed, according to HTTP
    std::map<std::string, Failed, std::less<>> failed_;  // by playlist
    std::string fragment_;           // of DASH, the latest that failed, while nothing was said since; "" without
    std::vector<std::string> last_;  // those with which their stream ended
    bool by_duration_ = false;       // a list of DASH promises segments by a duration, not by a timeline
    std::map<std::string, std::string> unopened_;  // playlists: address, and reason
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
