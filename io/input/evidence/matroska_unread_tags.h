#pragma once
// Tags of a Matroska file, compared with what FFmpeg makes of them.

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/matroska_unread.h"

namespace vfilter {

constexpr std::size_t max_unread = 10'000;  // of each kind that are remembered
constexpr int max_unread_depth = 16;

template <typename Value>
void remember(std::vector<Value>& values, Value value) {
    if (values.size() < max_unread) {
        values.push_back(std::move(value));
    }
}

class UnreadTags {
public:
    /// `streams` maps the UIDs of their tracks and must outlive it.
    UnreadTags(const std::map<std::uint64_t, int>& streams, std::vector<UnreadTag>& found)
        : streams_(streams), found_(found) {}

    /// The title that the file has apart from its tags, one of which replaces it.
    void know_title(std::string title) { values_["file/title"] = std::move(title); }
    /// The payload of an element Tags.
    void read(Bytes payload);

private:
    // What a tag belongs to, as FFmpeg sees it.
    struct Target {
        std::string key;  // separate for streams, chapters and attachments
        int stream = -1;
        bool of_file = true;
        std::uint64_t level = 50;
        std::string type;
        int uids = 0;
    };

    [[nodiscard]] Target target_of(Bytes payload) const;
    void read_tag(Bytes payload, const Target& target, const std::string& prefix, int depth);
    void note_repeated(const std::string& key, std::string_view value, const std::string& name, const Target& target);
    void note(UnreadTag::What what, const std::string& shown, const Target& target) {
        remember(found_, UnreadTag{what, shown, target.stream});
    }

    const std::map<std::uint64_t, int>& streams_;
    std::vector<UnreadTag>& found_;
    std::map<std::string, std::string> values_;  // by what they belong to and their name
};

}  // namespace vfilter
