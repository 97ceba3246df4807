#include "io/input/evidence/matroska_unread_tags.h"

#include <array>
#include <optional>
#include <string_view>

#include "io/input/evidence/matroska_elements.h"

namespace vfilter {

namespace {

using ebml::number_of;

constexpr std::uint64_t usual_level = 50;

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char letter) { return std::tolower(letter); });
    return text;
}

}  // namespace

void UnreadTags::read(Bytes payload) {
    ebml::each_element(payload, [&](std::uint32_t id, Bytes tag) {
        if (id != 0x7373) {
            return;
        }
        Target target;
        target.key = "file";
        ebml::each_element(tag, [&](std::uint32_t part_id, Bytes value) {
            if (part_id == 0x63C0) {
                target = target_of(value);
            }
        });
        ebml::each_element(tag, [&](std::uint32_t part_id, Bytes value) {
            if (part_id == 0x67C8) {
                read_tag(value, target, target.of_file ? target.type : "", 0);
            }
        });
    });
}

// Of several targets FFmpeg takes the last one of each kind, and goes by one kind.
UnreadTags::Target UnreadTags::target_of(Bytes payload) const {
    struct Kind {
        std::uint32_t id;
        std::string_view name;
        std::uint64_t uid;
    };
    std::array of_kinds{Kind{0x63C6, "attachment", 0}, Kind{0x63C4, "chapter", 0}, Kind{0x63C5, "stream", 0}};
    Target target;
    ebml::each_element(payload, [&](std::uint32_t id, Bytes value) {
        target.level = id == 0x68CA ? number_of(value) : target.level;
        if (id == 0x63CA) {
            target.type = words_of(value);
        }
        if (auto* const kind = std::ranges::find(of_kinds, id, &Kind::id);
            kind != of_kinds.end() && number_of(value) != 0) {
            kind->uid = number_of(value);
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
    std::optional<std::string> value;
    bool binary = false;
    std::vector<Bytes> nested;
    ebml::each_element(payload, [&](std::uint32_t id, Bytes bytes) {
        if (id == 0x45A3) {
            name = words_of(bytes);
        } else if (id == 0x4487) {
            const std::string_view all = text(bytes);
            value = all.substr(0, all.find('\0'));
        } else if (id == 0x447A) {
            language = words_of(bytes);
        } else if (id == 0x67C8) {
            nested.push_back(bytes);
        }
        binary = binary || (id == 0x4485 && !bytes.empty());
    });
    if (name.empty()) {
        return;
    }
    using What = UnreadTag::What;
    const auto lost = [&](What what, const std::string& shown) {
        remember(found_, UnreadTag{what, shown, target.stream});
    };
    const std::string path = prefix.empty() ? name : prefix + "/" + name;
    const bool in_no_language = language.empty() || language == "und";
    const std::string key = target.key + "/" + lower(path) + (in_no_language ? "" : "-" + lower(language));
    if (value) {
        if (const auto before = values_.find(key); before != values_.end() && before->second != *value) {
            lost(What::repeated, name);
        }
        if (values_.size() < max_unread) {
            values_.insert_or_assign(key, *value);
        }
    } else if (binary) {
        lost(What::binary, name);
    }
    if (depth > 0) {
        lost(What::nesting, name);
    } else if (target.of_file && (target.level != usual_level || !target.type.empty())) {
        lost(What::level, name + " at " + (target.type.empty() ? std::to_string(target.level) : target.type));
    } else if (target.uids > 1) {
        lost(What::targets, name);
    }
    for (const Bytes& each : nested) {
        if (depth < max_unread_depth) {
            read_tag(each, target, path, depth + 1);
        }
    }
}

}  // namespace vfilter
