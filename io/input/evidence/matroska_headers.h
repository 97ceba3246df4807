#pragma once
// What a Matroska file says about itself: information, tracks, index and tags.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/container_scan.h"

namespace vfilter {

/// Each function takes an element's payload; false if that contradicts itself.
class MatroskaHeaders {
public:
    struct Track {
        std::uint64_t uid = 0;
        std::int64_t number = 0;
        TrackEvidence::Kind kind = TrackEvidence::Kind::other;
        bool repacked = false;  // a demuxer's packets are not those of the file
    };

    bool read_info(Bytes payload);
    bool read_tracks(Bytes payload);
    /// Positions in it are relative to `begin`.
    bool read_cues(Bytes payload, std::int64_t begin);
    bool read_tags(Bytes payload);

    /// The unit of a cluster's time, in seconds.
    [[nodiscard]] double tick() const { return tick_; }
    [[nodiscard]] const std::vector<Track>& tracks() const { return tracks_; }
    /// Whether there is a list of tracks that was understood.
    [[nodiscard]] bool tracks_known() const { return tracks_known_; }
    /// Where clusters should be that are not among `clusters`, which must be in ascending order.
    [[nodiscard]] std::vector<std::int64_t> missing(const std::vector<std::int64_t>& clusters);
    /// Stores what the tags promise for a track.
    void promise(TrackEvidence& to) const;

private:
    struct Tag {
        std::uint64_t uid = 0;  // of the track that it is about
        std::map<std::string, std::string> values;
    };

    bool read_track(Bytes entry);
    void read_tag(Bytes payload);
    void promise_by(const Tag& tag, TrackEvidence& to) const;

    double tick_ = 0.001;
    std::string muxer_, writer_;
    std::vector<Track> tracks_;
    bool tracks_known_ = false;
    std::vector<std::int64_t> positions_;
    std::vector<Tag> tags_;
};

}  // namespace vfilter
