#pragma once
// The parts of the MP4 scan: the tables of the movie box, and fragments.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/boxes.h"
#include "io/input/evidence/container_scan.h"

namespace vfilter {

using TellFault = std::function<void(std::int64_t offset, std::string_view what)>;

/// Values that a fragment does not give for its samples.
struct Mp4Defaults {
    std::uint32_t duration = 0;
    std::uint32_t size = 0;
};

/// One track of the movie box.
struct Mp4Track {
    std::int64_t id = 0;
    TrackEvidence::Kind kind = TrackEvidence::Kind::other;
    std::int64_t count = 0;       ///< samples, according to their sizes
    std::int64_t empty = 0;       ///< of those, samples without any bytes, for which demuxers return no packets
    bool counts_packets = false;  ///< each sample is a packet, and none is left out by an edit list
    bool shows_all = false;       ///< and none is hidden
    std::int64_t whole = 0;       ///< samples that are within the file
    std::optional<double> seconds;

    // Where its tables are, for judge_places().
    std::int64_t at = 0;  ///< of the track in the file
    std::vector<std::uint8_t> sizes, chunks, runs;
    std::uint32_t same_size = 0;  ///< of every sample, if not 0
    unsigned size_bits = 32;
    bool wide = false;   ///< 64-bit chunk offsets
    bool loose = false;  ///< sizes that do not give the number of bytes of samples
    bool away = false;   ///< samples that are, or may be, in another file
};

/// A chunk of a track: consecutive samples.
struct Mp4Extent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::size_t track = 0;
};

/// The movie box, whose tables must agree with each other and with the file.
class Mp4Tables {
public:
    /// `movie` is the box's payload, which is at `at` in the file.
    void read(Bytes movie, std::int64_t at, const TellFault& tell);
    /// Checks whether every sample is in the file, outside `gaps`. Sets Mp4Track::whole.
    void judge_places(std::int64_t file_size, const std::vector<std::pair<std::int64_t, std::int64_t>>& gaps,
                      const TellFault& tell);
    [[nodiscard]] const std::vector<Mp4Track>& tracks() const { return tracks_; }
    [[nodiscard]] const std::map<std::int64_t, Mp4Defaults>& defaults() const { return defaults_; }
    /// Whether nothing in it was unexpected.
    [[nodiscard]] bool understood() const { return understood_; }

private:
    void read_defaults(Bytes mvex);
    void read_track(Bytes trak, std::int64_t at, const TellFault& tell);
    void tell_shared(std::vector<Mp4Extent> extents, const TellFault& tell) const;

    std::vector<Mp4Track> tracks_;
    std::map<std::int64_t, Mp4Defaults> defaults_;
    bool fragmented_ = false;
    bool understood_ = true;
    double movie_tick_ = 0;  // seconds
};

/// Fragments, and the indices that list their positions.
class Mp4Fragments {
public:
    explicit Mp4Fragments(TellFault tell) : tell_(std::move(tell)) {}
    void use(std::map<std::int64_t, Mp4Defaults> defaults) { defaults_ = std::move(defaults); }
    /// Any box at the file's top level, in order.
    void met_box(std::int64_t at, std::uint32_t type);
    /// A data box with `size` bytes of payload.
    void met_data(std::int64_t size) { data_ += size; }
    /// A part of the file was skipped.
    void lost() { samples_size_ = 0; }
    /// Samples by track.
    std::vector<std::pair<std::int64_t, std::int64_t>> read_fragment(Bytes payload, std::int64_t box, std::int64_t at);
    void read_index(Bytes payload, std::int64_t box, std::int64_t after);
    void read_random_access(Bytes payload);
    void end(std::int64_t size);
    [[nodiscard]] std::size_t count() const { return places_.size(); }
    /// Whether their numbers have restarted, as where files were joined.
    [[nodiscard]] bool began_again() const { return began_again_; }

private:
    void settle();
    void note_number(std::uint32_t number, std::int64_t box);

    TellFault tell_;
    std::map<std::int64_t, Mp4Defaults> defaults_;
    std::vector<std::int64_t> places_;  // of fragments
    std::vector<std::int64_t> told_;    // where there should be one according to an index
    std::int64_t data_ = 0;             // bytes of data since the last fragment's header
    std::int64_t samples_size_ = 0;     // that this fragment's samples need
    std::int64_t fragment_at_ = 0;
    std::optional<std::uint32_t> sequence_;
    bool began_again_ = false;
    std::int64_t in_order_ = 0;
    std::vector<std::int64_t> jumps_;  // in the numbers of fragments
    std::int64_t index_end_ = 0;       // the furthest byte that an index refers to
};

}  // namespace vfilter
