#pragma once
// Subtitles of a Blu-ray, which FFmpeg reads and does not write.

#include <string>
#include <vector>

namespace vfilter::test {

/// One segment: its type, size and content.
inline std::string pgs_segment(char type, const std::string& body) {
    return std::string{type, static_cast<char>(body.size() >> 8U), static_cast<char>(body.size())} + body;
}

/// A composition, in a video of 64x48, of an epoch's beginning or of no particular place.
inline std::string pgs_composition(bool begins, bool updates_palette, bool shows) {
    const std::string object("\0\0\0\0\0\x08\0\x08", 8);
    return pgs_segment(0x16, std::string("\0\x40\0\x30\x10\0\0", 7) + static_cast<char>(begins ? 0x80 : 0) +
                                 static_cast<char>(updates_palette ? 0x80 : 0) + '\0' + static_cast<char>(shows) +
                                 (shows ? object : ""));
}

inline std::string pgs_palette(char luma) {
    return pgs_segment(0x14, std::string("\0\0\x01", 3) + luma + "\x80\x80\xff");
}

/// A bar of 16x8, whose length is the picture's number, in one colour.
inline std::string pgs_picture(int number, char luma = 100) {
    std::string lines;
    for (int row = 0; row < 8; ++row) {
        lines += std::string{'\0', static_cast<char>(0x80 + number), '\x01', '\0', static_cast<char>(16 - number)} +
                 std::string(2, '\0');
    }
    const auto size = static_cast<char>(lines.size() + 4);
    return pgs_composition(true, false, true) + pgs_segment(0x17, std::string("\x01\0\0\x08\0\x08\0\x10\0\x08", 10)) +
           pgs_palette(luma) +
           pgs_segment(0x15, std::string("\0\0\0\xc0\0\0", 6) + size + std::string("\0\x10\0\x08", 4) + lines) +
           pgs_segment('\x80', "");
}

inline std::string pgs_palette_change(char luma) {
    return pgs_composition(false, true, true) + pgs_palette(luma) + pgs_segment('\x80', "");
}

inline std::string pgs_clear() {
    return pgs_composition(false, false, false) + pgs_segment('\x80', "");
}

inline std::vector<std::string> pgs_segments(const std::string& picture) {
    constexpr std::size_t header = 3;
    std::vector<std::string> all;
    for (std::size_t at = 0; at + header <= picture.size();) {
        const std::size_t size = static_cast<unsigned char>(picture[at + 1]) * std::size_t{256} +
                                 static_cast<unsigned char>(picture[at + 2]) + header;
        all.push_back(picture.substr(at, size));
        at += size;
    }
    return all;
}

struct PgsEvent {
    double seconds;
    std::string picture;
};

/// A .sup file. Pictures that are decoded `early`, in seconds, are complete a quarter of that before they are shown.
inline std::string sup_file(const std::vector<PgsEvent>& events, double early = 0) {
    std::string file;
    const auto add_time = [&](double seconds) {
        const auto time = static_cast<unsigned>(seconds * 90000);
        for (const int shift : {24, 16, 8, 0}) {
            file += static_cast<char>(time >> static_cast<unsigned>(shift));
        }
    };
    for (const PgsEvent& event : events) {
        for (const std::string& segment : pgs_segments(event.picture)) {
            const bool composition = segment[0] == 0x16;
            const bool end = segment[0] == '\x80';
            file += "PG";
            add_time(composition ? event.seconds : event.seconds - early / 4);
            add_time(early > 0 ? event.seconds - (end ? early / 4 : early) : 0);
            file += segment;
        }
    }
    return file;
}

}  // namespace vfilter::test
