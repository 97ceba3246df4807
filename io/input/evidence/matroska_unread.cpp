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

    bool walk_file();
    void walk_segment(std::int64_t at, std::int64_t end);
    [[nodiscard]] std::optional<ebml::Element> element(std::int64_t at) const;
    void take(const ebml::Element& element, std::int64_t data);
    void take_seeks(Bytes payload);
    void read_tracks(Bytes payload);
    void read_track(Bytes entry);
    void read_chapters(Bytes payload);
    void read_edition(Bytes payload, bool first);
    [[nodiscard]] static Atom atom_of(Bytes payload);
    [[nodiscard]] static Title title_of(Bytes payload);
    void read_links(Bytes info);
    void note_nested(const std::vector<Bytes>& atoms, int depth);
    void note_chapter(const Atom& atom);
    void note(UnreadChapter::What what, const Atom& atom, std::string language = "") {
        remember(labels_.chapters,
                 UnreadChapter{what, atom.begin, std::max(atom.begin, atom.end), std::move(language)});
    }

    // Calls with each header of that id.
    template <typename Use>
    void each_place(std::uint32_t id, Use&& use) const {
        for (const Place& place : places_) {
            if (place.id == id) {
                use(Bytes(place.payload));
            }
        }
    }

    const ReadAt& read_;
    std::int64_t segment_ = 0;
    std::int64_t size_ = 0;              // of all that were read
    std::set<std::int64_t> met_;         // where headers lie that were read
    std::vector<std::int64_t> to_look_;  // where others should
    std::vector<Place> places_;
    std::map<std::uint64_t, int> streams_;  // by UID
    int stream_count_ = 0;                  // of which several may have one UID
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
    ebml::each_of(payload, ebml::seek, [&](Bytes seek) {
        std::uint64_t wanted = 0;
        std::uint64_t position = 0;
        ebml::read_fields(seek, {{ebml::seek_id, &wanted}, {ebml::seek_position, &position}});
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
    if (!walk_file()) {
        return {};
    }
    each_place(ebml::tracks_of, [&](Bytes payload) { read_tracks(payload); });
    each_place(ebml::chapters, [&](Bytes payload) { read_chapters(payload); });
    UnreadTags found(streams_, labels_.tags);
    each_place(ebml::info, [&](Bytes payload) {
        ebml::each_of(payload, ebml::title, [&](Bytes value) { found.know_title(ebml::words_of(value)); });
        read_links(payload);
    });
    each_place(ebml::tags, [&](Bytes payload) { found.read(payload); });
    labels_.more = labels_.chapters.size() == max_unread || labels_.tags.size() == max_unread ||
                   labels_.tracks.size() == max_unread || labels_.of_other_editions.size() == max_unread;
    return std::move(labels_);
}

// Other files that go before and behind.
void HeaderWalk::read_links(Bytes info) {
    std::string names;
    bool linked = false;
    for (const std::uint32_t id : {ebml::previous_uid, ebml::next_uid, ebml::previous_filename, ebml::next_filename}) {
        ebml::each_of(info, id, [&](Bytes value) {
            const bool name = id == ebml::previous_filename || id == ebml::next_filename;
            linked = linked || (!value.empty() && !all_zero(value));
            names += name ? (names.empty() ? "" : ", ") + ebml::words_of(value) : "";
        });
    }
    if (linked) {
        remember(labels_.others,
                 UnreadOther{"links to other segments" + (names.empty() ? "" : " (" + names + ")"), -1, true});
    }
}

// To the end of its first segment. False where something else is met.
bool HeaderWalk::walk_file() {
    std::int64_t at = 0;
    for (int i = 0; i < most_headers; ++i) {
        const std::optional<ebml::Element> top = element(at);
        if (!top) {
            return false;
        }
        at += signed_value(top->header);
        if (top->id == ebml::segment) {
            walk_segment(at, top->size < 0 ? INT64_MAX / 2 : at + std::min(top->size, INT64_MAX / 4));
            break;
        }
        if (top->size < 0 || top->size > most_bytes) {
            return false;
        }
        at += top->size;
    }
    return true;
}

// In ContentEncodings, of which the others are compression.
bool any_encryption(Bytes encodings) {
    bool any = false;
    ebml::each_of(encodings, ebml::content_encoding, [&](Bytes encoding) {
        ebml::each_of(encoding, ebml::content_encoding_type,
                      [&](Bytes value) { any = any || ebml::number_of(value) == 1; });
    });
    return any;
}

// FFmpeg makes streams of pictures, sound, subtitles and metadata that have a codec, in their order.
bool makes_stream(std::uint64_t type) {
    constexpr std::array<std::uint64_t, 4> types{0x01, 0x02, 0x11, 0x21};
    return std::ranges::find(types, type) != types.end();
}

void HeaderWalk::read_tracks(Bytes payload) {
    ebml::each_of(payload, ebml::track_entry, [&](Bytes entry) { read_track(entry); });
}

void HeaderWalk::read_track(Bytes entry) {
    std::uint64_t uid = 0;
    std::uint64_t type = 0;
    std::uint64_t enabled = 1;
    bool told = false;
    UnreadTrack track;
    ebml::read_fields(entry, {{ebml::track_uid, &uid},
                              {ebml::track_type, &type},
                              {ebml::flag_enabled, &enabled},
                              {ebml::language, &told},
                              {ebml::language_bcp47, &track.language},
                              {ebml::codec_id, &track.codec}});
    if (track.codec.empty() || !makes_stream(type)) {
        return;
    }
    ebml::each_of(entry, ebml::content_encodings,
                  [&](Bytes value) { track.encrypted = track.encrypted || any_encryption(value); });
    track.disabled = enabled == 0;
    track.stream = stream_count_++;
    track.only_that = !told && !track.language.empty();
    streams_.try_emplace(uid, track.stream);  // several with one UID are an error that FFmpeg does not mind
    remember(labels_.tracks, std::move(track));
}

void HeaderWalk::read_chapters(Bytes payload) {
    bool first = true;
    ebml::each_of(payload, ebml::edition_entry,
                  [&](Bytes edition) { read_edition(edition, std::exchange(first, false)); });
}

void HeaderWalk::read_edition(Bytes payload, bool first) {
    ebml::each_of(payload, ebml::chapter_atom, [&](Bytes value) {
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
    std::uint64_t ordered = 0;
    ebml::read_fields(payload, {{ebml::edition_flag_ordered, &ordered}});
    if (ordered != 0 && first) {
        Atom all;
        all.begin = 0;
        all.end = std::numeric_limits<double>::max();
        note(UnreadChapter::What::ordered, all);
    }
}

HeaderWalk::Atom HeaderWalk::atom_of(Bytes payload) {
    Atom atom;
    std::uint64_t hidden = 0;
    std::uint64_t enabled = 1;
    ebml::read_fields(payload, {{ebml::chapter_uid, &atom.uid},
                                {ebml::chapter_time_start, &atom.begin},
                                {ebml::chapter_time_end, &atom.end},
                                {ebml::chapter_flag_hidden, &hidden},
                                {ebml::chapter_flag_enabled, &enabled}});
    atom.hidden = hidden != 0;
    atom.disabled = enabled == 0;
    ebml::each_of(payload, ebml::chapter_atom, [&](Bytes nested) { atom.nested.push_back(nested); });
    ebml::each_of(payload, ebml::chapter_display, [&](Bytes display) { atom.titles.push_back(title_of(display)); });
    return atom;
}

// Its language by BCP 47, or else the first of those in three letters.
HeaderWalk::Title HeaderWalk::title_of(Bytes payload) {
    Title title;
    ebml::read_fields(payload, {{ebml::chap_string, &title.words}, {ebml::chap_language_bcp47, &title.language}});
    ebml::each_of(payload, ebml::chap_language, [&](Bytes value) {
        if (title.language.empty()) {
            title.language = ebml::words_of(value);
        }
    });
    return title;
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
