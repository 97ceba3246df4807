#pragma once
// Chunked HTTP responses (RFC 9112, 7.1) end with an empty chunk. FFmpeg also takes a connection that is closed earlier
// for the end, and reports what arrived only in its log, by connection.

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace vfilter {

/// One thread at a time.
class ChunkedAnswers {
public:
    /// FFmpeg's object, which is never accessed: another one may be at the same address later.
    using Connection = const void*;

    /// `request` is sent, with its headers. `segment` is what a playlist's demuxer requested last, "" if none. Returns
    /// the segment whose response was previously cut off on this connection; "" if there was none.
    std::string requested(Connection connection, std::string_view request, const std::string& segment);
    /// A chunk begins; the last one is empty.
    void begun(Connection connection, bool last) { answers_[connection].open = !last; }
    /// The response ended, and the caller knows.
    void ended(Connection connection) { answers_[connection].open = false; }

    [[nodiscard]] bool is_open(Connection connection) const;
    [[nodiscard]] bool any_open() const;
    /// The segments among the open ones: the input has ended, so they were cut off.
    [[nodiscard]] std::vector<std::string> open_segments() const;
    /// The caller stops reading these segments, and leaves them incomplete.
    void leave_segments();

private:
    struct Answer {
        std::string segment;  // "" if it is something else (a list, a key), or is not read to its end
        bool open = false;
    };
    std::map<Connection, Answer> answers_;  // the latest on each
};

}  // namespace vfilter
