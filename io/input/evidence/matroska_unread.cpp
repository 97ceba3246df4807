#include "io/input/evidence/matroska_unread.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/matroska_elements.h"
#include "io/input/evidence/matroska_unread_tags.h"

namespace vfilter {

namespace {

using ebml::number_of;

constexpr std::int64_t most_bytes = 32 << 20;  // bytes, all together
constexpr int most_headers = 10'000;           // elements that are walked over

bool is_header(std::uint32_t id) {
    constexpr std::array<std::uint32_t, 5> ids{ebml::seek_head, ebml::info, ebml::tracks_of, ebml::chapters,
                                               ebml::tags};
    return std::ranges::find(ids, id) != ids.end();
}

class HeaderWalk {
public:
    explicit HeaderWalk(const ReadAt& read) : read_(read) {}
    UnreadLabels walk();

private:
    struct Title {
        std::string words, language;
    };
    struct Atom {
        std::uint64_t uid = 0;
        double begin = -1, end = -1;
        bool hidden = false, disabled = false;
        std::vector<Title> titles;
        std::vector<Bytes> nested;
    };
    struct Place {
        std::uint32_t id;
        std::vector<std::uint8_t> payload;
    };

    void walk_segment(std::int64_t at, std::int64_t end);
    [[nodiscard]] std::optional<ebml::Element> element(std::int64_t at) const;
    void take(const ebml::Element& element, std::int64_t data);
    void take_seeks(Bytes payload);
    void read_tracks(Bytes payload);
    void read_chapters(Bytes payload);
    void read_edition(Bytes payload, bool first);
    [[nodiscard]] static Atom atom_of(Bytes payload);
    void note_nested(const std::vector<Bytes>& atoms, int depth);
    void note_chapter(const Atom& atom);
    void note(UnreadChapter::What what, const Atom& atom, std::string language = "") {
        remember(labels_.chapters,
                 UnreadChapter{what, atom.begin, std::max(atom.begin, atom.end), std::move(language)});
    }

    const ReadAt& read_;
    std::int64_t segment_ = 0;
    std::int64_t size_ = 0;              // of all that were read
    std::set<std::int64_t> met_;         // where headers lie that were read
    std::vector<std::int64_t> to_look_;  // where others should
    std::vector<Place> places_;
    std::map<std::uint64_t, int> streams_;  // by UID
    double latest_ = 0;                     // chapter that FFmpeg takes
    std::set<std::uint64_t> taken_;         // UIDs of chapters
    UnreadLabels labels_;
};

std::optional<ebml::Element> HeaderWalk::element(std::int64_t at) const {
    std::array<std::uint8_t, 12> bytes{};
    const std::size_t got = read_(at, bytes);
    const ebml::Element found = ebml::element_at(Bytes(bytes).first(got), 0);
    return found.header == 0 ? std::nullopt : std::optional(found);
}

void HeaderWalk::take(const ebml::Element& element, std::int64_t data) {
    if (!is_header(element.id) || element.size <= 0 || element.size > most_bytes - size_ || !met_.insert(data).second) {
        return;
    }
    size_ += element.size;
    std::vector<std::uint8_t> payload(static_cast<std::size_t>(element.size));
    payload.resize(read_(data, payload));
    if (element.id == ebml::seek_head) {
        take_seeks(payload);
    } else {
        places_.push_back({element.id, std::move(payload)});
    }
}

void HeaderWalk::take_seeks(Bytes payload) {
    ebml::each_element(payload, [&](std::uint32_t id, Bytes seek) {
        std::uint64_t wanted = 0;
        std::uint64_t position = 0;
        if (id == 0x4DBB) {
            ebml::each_element(seek, [&](std::uint32_t field, Bytes value) {
                wanted = field == 0x53AB ? number_of(value) : wanted;
                position = field == 0x53AC ? number_of(value) : position;
            });
        }
        if (is_header(static_cast<std::uint32_t>(wanted)) && position > 0 && position < INT64_MAX / 2 &&
            to_look_.size() < max_unread) {
            to_look_.push_back(segment_ + signed_value(position));
        }
    });
}

void HeaderWalk::walk_segment(std::int64_t at, std::int64_t end) {
    segment_ = at;
    for (int i = 0; i < most_headers && at < end; ++i) {
        const std::optional<ebml::Element> next = element(at);
        if (!next || next->id == ebml::cluster || next->size < 0 || next->size > INT64_MAX / 2) {
            break;
        }
        const std::int64_t data = at + signed_value(next->header);
        take(*next, data);
        at = data + next->size;
    }
    // More may come on the way.
    std::size_t looked = 0;
    while (looked < to_look_.size()) {
        const std::int64_t place = to_look_[looked++];
        if (const auto there = element(place)) {
            take(*there, place + signed_value(there->header));
        }
    }
}

UnreadLabels HeaderWalk::walk() {
    std::int64_t at = 0;
    for (int i = 0; i < most_headers; ++i) {
        const std::optional<ebml::Element> top = element(at);
        if (!top) {
            return {};
        }
        at += signed_value(top->header);
        if (top->id == ebml::segment) {
            walk_segment(at, top->size < 0 ? INT64_MAX / 2 : at + std::min(top->size, INT64_MAX / 4));
            break;
        }
        if (top->size < 0 || top->size > most_bytes) {
            return {};
        }
        at += top->size;
    }
    const auto each = [&](std::uint32_t id, auto&& use) {
        for (const Place& place : places_) {
            if (place.id == id) {
                use(Bytes(place.payload));
            }
        }
    };
    each(ebml::tracks_of, [&](Bytes payload) { read_tracks(payload); });
    each(ebml::chapters, [&](Bytes payload) { read_chapters(payload); });
    UnreadTags found(streams_, labels_.tags);
    each(ebml::info, [&](Bytes payload) {
        ebml::each_element(payload, [&](std::uint32_t id, Bytes value) {
            if (id == 0x7BA9) {
                found.know_title(words_of(value));
            }
        });
    });
    each(ebml::tags, [&](Bytes payload) { found.read(payload); });
    return std::move(labels_);
}

// In ContentEncodings, of which the others are compression.
bool any_encryption(Bytes encodings) {
    bool any = false;
    ebml::each_element(encodings, [&](std::uint32_t id, Bytes encoding) {
        if (id == 0x6240) {
            ebml::each_element(encoding, [&](std::uint32_t field, Bytes value) {
                any = any || (field == 0x5033 && number_of(value) == 1);
            });
        }
    });
    return any;
}

// FFmpeg makes streams of pictures, sound, subtitles and metadata that have a codec, in their order.
void HeaderWalk::read_tracks(Bytes payload) {
    ebml::each_element(payload, [&](std::uint32_t id, Bytes entry) {
        if (id != 0xAE) {
            return;
        }
        std::uint64_t uid = 0;
        std::uint64_t type = 0;
        bool told = false;
        UnreadTrack track;
        ebml::each_element(entry, [&](std::uint32_t field, Bytes value) {
            uid = field == 0x73C5 ? number_of(value) : uid;
            type = field == 0x83 ? number_of(value) : type;
            told = told || field == 0x22B59C;
            track.disabled = field == 0xB9 ? number_of(value) == 0 : track.disabled;
            track.encrypted = track.encrypted || (field == 0x6D80 && any_encryption(value));
            if (field == 0x22B59D || field == 0x86) {
                (field == 0x86 ? track.codec : track.language) = words_of(value);
            }
        });
        if (track.codec.empty() || (type != 0x01 && type != 0x02 && type != 0x11 && type != 0x21)) {
            return;
        }
        track.stream = static_cast<int>(streams_.size());
        track.only_that = !told && !track.language.empty();
        // Two tracks with one UID are an error that FFmpeg does not mind.
        while (!streams_.try_emplace(uid, track.stream).second) {
            ++uid;
        }
        remember(labels_.tracks, std::move(track));
    });
}

void HeaderWalk::read_chapters(Bytes payload) {
    bool first = true;
    ebml::each_element(payload, [&](std::uint32_t id, Bytes edition) {
        if (id == 0x45B9) {
            read_edition(edition, std::exchange(first, false));
        }
    });
}

void HeaderWalk::read_edition(Bytes payload, bool first) {
    bool ordered = false;
    Atom all;
    all.begin = 0;
    all.end = std::numeric_limits<double>::max();
    ebml::each_element(payload, [&](std::uint32_t id, Bytes value) {
        ordered = ordered || (id == 0x45DD && number_of(value) != 0);
        if (id != 0xB6) {
            return;
        }
        const Atom atom = atom_of(value);
        if (!first) {
            note(UnreadChapter::What::edition, atom);
            if (!taken_.contains(atom.uid) && labels_.of_other_editions.size() < max_unread) {
                labels_.of_other_editions.push_back(atom.uid);
            }
        } else if (atom.uid == 0 || atom.begin < 0 || (latest_ > 0 && atom.begin <= latest_)) {
            note(UnreadChapter::What::out_of_order, atom);
        } else {
            latest_ = atom.begin;
            taken_.insert(atom.uid);
            note_chapter(atom);
        }
    });
    if (ordered && first) {
        note(UnreadChapter::What::ordered, all);
    }
}

HeaderWalk::Atom HeaderWalk::atom_of(Bytes payload) {
    constexpr double nanoseconds = 1e-9;
    Atom atom;
    ebml::each_element(payload, [&](std::uint32_t id, Bytes value) {
        switch (id) {
            case 0x73C4:
                atom.uid = number_of(value);
                break;
            case 0x91:
                atom.begin = static_cast<double>(number_of(value)) * nanoseconds;
                break;
            case 0x92:
                atom.end = static_cast<double>(number_of(value)) * nanoseconds;
                break;
            case 0x98:
                atom.hidden = number_of(value) != 0;
                break;
            case 0x4598:
                atom.disabled = number_of(value) == 0;
                break;
            case 0xB6:
                atom.nested.push_back(value);
                break;
            case 0x80: {
                Title title;
                ebml::each_element(value, [&](std::uint32_t field, Bytes words) {
                    if (field == 0x85) {
                        title.words = words_of(words);
                    } else if (field == 0x437D || (field == 0x437C && title.language.empty())) {
                        title.language = words_of(words);
                    }
                });
                atom.titles.push_back(std::move(title));
                break;
            }
            default:
                break;
        }
    });
    return atom;
}

void HeaderWalk::note_nested(const std::vector<Bytes>& atoms, int depth) {
    for (const Bytes& payload : atoms) {
        const Atom atom = atom_of(payload);
        note(UnreadChapter::What::nested, atom);
        if (depth < max_unread_depth) {
            note_nested(atom.nested, depth + 1);
        }
    }
}

// FFmpeg takes the last of several titles. English is what Matroska means where nothing is said, and says nothing of
// what a program wrote that did not ask.
void HeaderWalk::note_chapter(const Atom& atom) {
    for (std::size_t i = 0; i < atom.titles.size(); ++i) {
        const Title& title = atom.titles[i];
        const std::string language = title.language.empty() ? "eng" : title.language;
        if (i + 1 < atom.titles.size()) {
            note(UnreadChapter::What::title, atom, language);
        } else if (language != "und" && language != "eng" && language != "en") {
            note(UnreadChapter::What::language, atom, language);
        }
    }
    if (atom.hidden) {
        note(UnreadChapter::What::hidden, atom);
    }
    if (atom.disabled) {
        note(UnreadChapter::What::disabled, atom);
    }
    note_nested(atom.nested, 1);
}

}  // namespace

UnreadLabels unread_in_matroska(const ReadAt& read) {
    return HeaderWalk(read).walk();
}

}  // namespace vfilter
