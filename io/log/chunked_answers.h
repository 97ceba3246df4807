#pragma once
// HTTP's answers in chunks (RFC 9112, 7.1) end with an empty one. FFmpeg takes a connection that is closed before for
// the end as well, and tells what came in its log alone, by connection.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vfilter {

/// One thread at a time.
class ChunkedAnswers {
public:
    /// FFmpeg's object, which is never looked into: another may lie at the same place later.
    using Connection = const void*;

    /// `request` is sent, with its headers. `segment` is what a playlist's demuxer has last asked for, "" without one.
    /// Returns the segment whose answer broke off on this connection before; "" if none did.
    std::string requested(Connection connection, std::string_view request, const std::string& segment);
    /// A chunk begins, the last one of which is empty.
    void begun(Connection connection, bool last) { answers_[connection].open = !last; }
    /// The answer ended, and whoever asked knows.
    void ended(Connection connection) { answers_[connection].open = false; }

    [[nodiscard]] bool is_open(Connection connection) const;
    [[nodiscard]] bool any_open() const;
    /// Of those that are open, the segments: the input ended, so they broke off.
    [[nodiscard]] std::vector<std::string> open_segments() const;
    /// Whoever asked for segments goes elsewhere, and leaves them as far as they have come.
    void leave_segments();

private:
    struct Answer {
        std::string segment;  // "" if it is something else (a list, a key), or is not read to its end
        bool open = false;
    };
    std::map<Connection, Answer> answers_;  // the latest of each
};

}  // namespace vfilter
