#pragma once
// What the scan of MP4 is made of: the tables of the movie box, and fragments.

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

/// What a fragment does not say of its samples.
struct Mp4Defaults {
    std::uint32_t duration = 0;
    std::uint32_t size = 0;
};

/// One track of the movie box.
struct Mp4Track {
    std::int64_t id = 0;
    TrackEvidence::Kind kind = TrackEvidence::Kind::other;
    std::int64_t count = 0;       ///< samples, by their sizes
    std::int64_t empty = 0;       ///< of those, samples without a byte, of which demuxers make no packets
    bool counts_packets = false;  ///< each sample is a packet, and none is left out by an edit list
    bool shows_all = false;       ///< nor hidden
    std::int64_t whole = 0;       ///< samples that lie within the file
    std::optional<double> seconds;

    // Where its tables are, for judge_places().
    std::int64_t at = 0;  ///< of the track in the file
    std::vector<std::uint8_t> sizes, chunks, runs;
    std::uint32_t same_size = 0;  ///< of every sample, if not 0
    unsigned size_bits = 32;
    bool wide = false;   ///< 64-bit chunk offsets
    bool loose = false;  ///< sizes that do not tell how many bytes samples have
    bool away = false;   ///< samples that are, or may be, in another file
};

/// A chunk of a track: samples that lie behind each other.
struct Mp4Extent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::size_t track = 0;
};

/// The movie box, whose tables must agree with each other and with the file.
class Mp4Tables {
public:
    /// `movie` is the box's payload, which lies at `at` in the file.
    void read(Bytes movie, std::int64_t at, const TellFault& tell);
    /// Whether every sample lies in the file, outside `gaps`. Sets Mp4Track::whole.
    void judge_places(std::int64_t file_size, const std::vector<std::pair<std::int64_t, std::int64_t>>& gaps,
                      const TellFault& tell);
    [[nodiscard]] const std::vector<Mp4Track>& tracks() const { return tracks_; }
    [[nodiscard]] const std::map<std::int64_t, Mp4Defaults>& defaults() const { return defaults_; }
    /// Whether nothing in it was strange.
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

/// Fragments, and the indices that tell where they are.
class Mp4Fragments {
public:
    explicit Mp4Fragments(TellFault tell) : tell_(std::move(tell)) {}
    void use(std::map<std::int64_t, Mp4Defaults> defaults) { defaults_ = std::move(defaults); }
    /// Any box of the file's top level, in its order.
    void met_box(std::int64_t at, std::uint32_t type);
    /// A data box with `size` bytes of payload.
    void met_data(std::int64_t size) { data_ += size; }
    /// A part of the file was stepped over.
    void lost() { samples_size_ = 0; }
    /// Samples by track.
    std::vector<std::pair<std::int64_t, std::int64_t>> read_fragment(Bytes payload, std::int64_t box, std::int64_t at);
    void read_index(Bytes payload, std::int64_t box, std::int64_t after);
    void read_random_access(Bytes payload);
    void end(std::int64_t size);
    [[nodiscard]] std::size_t count() const { return places_.size(); }
    /// Whether their numbers have begun again, as where files were joined.
    [[nodiscard]] bool began_again() const { return began_again_; }

private:
    void settle();
    void note_number(std::uint32_t number, std::int64_t box);

    TellFault tell_;
    std::map<std::int64_t, Mp4Defaults> defaults_;
    std::vector<std::int64_t> places_;  // of fragments
    std::vector<std::int64_t> told_;    // where an index says that there is one
    std::int64_t data_ = 0;             // bytes of data since the last fragment's header
    std::int64_t samples_size_ = 0;     // that this fragment's samples need
    std::int64_t fragment_at_ = 0;
    std::optional<std::uint32_t> sequence_;
    bool began_again_ = false;
    std::int64_t in_order_ = 0;
    std::vector<std::int64_t> jumps_;  // in the numbers of fragments
    std::int64_t index_end_ = 0;       // the furthest byte of which an index tells
};

}  // namespace vfilter
