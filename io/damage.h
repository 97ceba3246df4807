#pragma once
// Damage that was met and survived: what a run that ends with 5 tells.

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace vfilter {

/// Plain counts; whoever counts owns it.
struct Damage {
    std::int64_t packets = 0;          ///< marked corrupt by the container, refused by decoder or muxer, or missing
    std::int64_t frames = 0;           ///< decoded with errors
    std::int64_t pictures = 0;         ///< missing by count: packets that the container promises, pictures of packets
    std::int64_t holes = 0;            ///< pictures missing by time: holes in the timestamps of a constant rate
    std::int64_t complaints = 0;       ///< errors that FFmpeg's demuxer and decoders logged
    std::int64_t faults = 0;           ///< places where the container contradicts itself
    double missing_seconds = 0;        ///< by which a stream ended before its own duration
    bool lost = false;                 ///< a live input or a pipe went away or fell silent, and did not come back
    std::vector<std::string> notes{};  ///< the first ones of what was found, with the place; a phrase each
    std::vector<std::string> added{};  ///< names of files beside the input that have some of it
    bool of_added = false;             ///< the input itself has none of it

    static constexpr std::size_t max_notes = 12;

    [[nodiscard]] bool any() const {
        return packets > 0 || frames > 0 || missing_pictures() > 0 || complaints > 0 || faults > 0 ||
               missing_seconds > 0 || lost;
    }
    /// What is missing by count mostly leaves a hole as well: it is not missing twice.
    [[nodiscard]] std::int64_t missing_pictures() const { return std::max(pictures, holes); }
    void note(std::string text) {
        if (notes.size() < max_notes && std::ranges::find(notes, text) == notes.end()) {
            notes.push_back(std::move(text));
        }
    }
    /// All of it is that file's, which lies beside the input.
    Damage& give_to(const std::string& file) {
        of_added = any();
        added.assign(of_added ? 1 : 0, file);
        return *this;
    }
    Damage& operator+=(const Damage& other) {
        of_added = (of_added || !any()) && (other.of_added || !other.any()) && (of_added || other.of_added);
        for (const std::string& file : other.added) {
            if (std::ranges::find(added, file) == added.end()) {
                added.push_back(file);
            }
        }
        packets += other.packets;
        frames += other.frames;
        pictures += other.pictures;
        holes += other.holes;
        complaints += other.complaints;
        faults += other.faults;
        missing_seconds = std::max(missing_seconds, other.missing_seconds);
        lost = lost || other.lost;
        for (const std::string& text : other.notes) {
            note(text);
        }
        return *this;
    }
};

}  // namespace vfilter
