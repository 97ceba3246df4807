#include "io/input/evidence/matroska_unread_tags.h"

#include <array>
#include <optional>
#include <string_view>

#include "config/letters.h"
#include "io/input/evidence/matroska_elements.h"

namespace vfilter {

namespace {

constexpr std::uint64_t usual_level = 50;

}  // namespace

void UnreadTags::read(Bytes payload) {
    ebml::each_of(payload, ebml::tag, [&](Bytes tag) {
        Target target;
        target.key = "file";
        ebml::each_of(tag, ebml::targets, [&](Bytes value) { target = target_of(value); });
        ebml::each_of(tag, ebml::simple_tag,
                      [&](Bytes value) { read_tag(value, target, target.of_file ? target.type : "", 0); });
    });
}

// Of several targets FFmpeg takes the last one of each kind, and goes by one kind.
UnreadTags::Target UnreadTags::target_of(Bytes payload) const {
    struct Kind {
        std::uint32_t id;
        std::string_view name;
        std::uint64_t uid;
    };
    std::array of_kinds{Kind{ebml::tag_attachment_uid, "attachment", 0}, Kind{ebml::tag_chapter_uid, "chapter", 0},
                        Kind{ebml::tag_track_uid, "stream", 0}};
    Target target;
    ebml::read_fields(payload, {{ebml::target_type_value, &target.level}, {ebml::target_type, &target.type}});
    ebml::each_element(payload, [&](std::uint32_t id, Bytes value) {
        if (auto* const kind = std::ranges::find(of_kinds, id, &Kind::id);
            kind != of_kinds.end() && ebml::number_of(value) != 0) {
            kind->uid = ebml::number_of(value);
            ++target.uids;
        }
    });
    const auto* const kind = std::ranges::find_if(of_kinds, [](const Kind& each) { return each.uid != 0; });
    target.of_file = kind == of_kinds.end();
    target.key = target.of_file ? "file" : std::string(kind->name) + std::to_string(kind->uid);
    if (const auto stream = target.of_file ? streams_.end() : streams_.find(kind->uid);
        stream != streams_.end() && kind->name == "stream") {
        target.stream = stream->second;
    }
    return target;
}

// As FFmpeg names it: behind the tag that it is nested in, or the kind of thing that it tells of.
void UnreadTags::read_tag(Bytes payload, const Target& target, const std::string& prefix, int depth) {
    std::string name;
    std::string language;
    ebml::read_fields(payload, {{ebml::tag_name, &name}, {ebml::tag_language, &language}});
    if (name.empty()) {
        return;
    }
    std::optional<std::string_view> value;
    ebml::each_of(payload, ebml::tag_string, [&](Bytes words) { value = text(words); });
    bool binary = false;
    ebml::each_of(payload, ebml::tag_binary, [&](Bytes bytes) { binary = binary || !bytes.empty(); });
    using What = UnreadTag::What;
    const std::string path = prefix.empty() ? name : prefix + "/" + name;
    if (value) {
        const bool in_no_language = language.empty() || language == "und";
        note_repeated(target.key + "/" + lower_case(path) + (in_no_language ? "" : "-" + lower_case(language)),
                      value->substr(0, value->find('\0')), name, target);
    } else if (binary) {
        note(What::binary, name, target);
    }
    if (depth > 0) {
        note(What::nesting, name, target);
    } else if (target.of_file && (target.level != usual_level || !target.type.empty())) {
        note(What::level, name + " at " + (target.type.empty() ? std::to_string(target.level) : target.type), target);
    } else if (target.uids > 1) {
        note(What::targets, name, target);
    }
    if (depth < max_unread_depth) {
        ebml::each_of(payload, ebml::simple_tag, [&](Bytes nested) { read_tag(nested, target, path, depth + 1); });
    }
}

// Of those with one key FFmpeg keeps the last.
void UnreadTags::note_repeated(const std::string& key, std::string_view value, const std::string& name,
                               const Target& target) {
    if (const auto before = values_.find(key); before != values_.end() && before->second != value) {
        note(UnreadTag::What::repeated, name, target);
    }
    if (values_.size() < max_unread) {
        values_.insert_or_assign(key, std::string(value));
    }
}

}  // namespace vfilter
