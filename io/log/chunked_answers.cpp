#include "io/log/chunked_answers.h"

#include <algorithm>
#include <utility>

namespace vfilter {

namespace {

// "GET /a/b.ts?c HTTP/1.1" asks for ".../a/b.ts?c".
bool asks_for(std::string_view request, std::string_view address) {
    const std::size_t begin = request.find(' ');
    const std::size_t end = begin == std::string_view::npos ? begin : request.find(' ', begin + 1);
    return end != std::string_view::npos && address.ends_with(request.substr(begin + 1, end - begin - 1));
}

// Of "bytes=0-99" nobody reads on to see that nothing follows.
bool is_of_a_range(std::string_view request) {
    const std::size_t range = request.find("\nRange: bytes=");
    const std::size_t dash = range == std::string_view::npos ? range : request.find('-', range);
    return dash != std::string_view::npos && dash + 1 < request.size() && request[dash + 1] >= '0' &&
           request[dash + 1] <= '9';
}

}  // namespace

std::string ChunkedAnswers::requested(Connection connection, std::string_view request, const std::string& segment) {
    Answer& answer = answers_[connection];
    std::string broken = std::exchange(answer.open, false) ? answer.segment : "";
    // A request that asks for something else goes where an answer before has sent it.
    const bool redirected = broken.empty() && answer.segment == segment;
    answer.segment = (asks_for(request, segment) || redirected) && !is_of_a_range(request) ? segment : "";
    return broken;
}

void ChunkedAnswers::leave_segments() {
    for (auto& [connection, answer] : answers_) {
        answer.segment.clear();
    }
}

bool ChunkedAnswers::is_open(Connection connection) const {
    const auto found = answers_.find(connection);
    return found != answers_.end() && found->second.open;
}

bool ChunkedAnswers::any_open() const {
    return std::ranges::any_of(answers_, [](const auto& answer) { return answer.second.open; });
}

std::vector<std::string> ChunkedAnswers::open_segments() const {
    std::vector<std::string> segments;
    for (const auto& [connection, answer] : answers_) {
        if (answer.open && !answer.segment.empty()) {
            segments.push_back(answer.segment);
        }
    }
    return segments;
}

}  // namespace vfilter
