#pragma once
// The information in HEVC slice headers (ITU-T H.265, 7.3.6.1), as far as it is needed.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "io/bitstream/nal.h"
#include "io/handles.h"

namespace vfilter {

struct HevcSlice {
    unsigned type = 0;      ///< nal_unit_type
    unsigned sublayer = 0;  ///< TemporalId
    bool first = false;     ///< of its picture
    bool known = false;     ///< its parameter sets are available; otherwise nothing below is known
    bool tiles = false;     ///< pictures use them
    int trees = 0;          ///< coding trees in its picture
    int tree = 0;           ///< its first one
    int count_bits = 0;     ///< of `count`
    int count = 0;          ///< slice_pic_order_cnt_lsb, of a picture's first slice; 0 for IDR pictures

    [[nodiscard]] bool random_access() const;
    /// A picture after which nothing depends on, or is displayed before, what came before it.
    [[nodiscard]] bool idr() const;
    /// A leading picture of a random-access point.
    [[nodiscard]] bool leading() const;
    /// Whether pictures of its own sublayer may depend on it.
    [[nodiscard]] bool reference() const;
};

/// The number of a video, sequence or picture parameter set, by which others refer to it.
unsigned hevc_set_number(const Nal& set);

/// Stores the parameter sets of a stream's base layer. One thread.
class HevcHeaders {
public:
    void read_extradata(const std::uint8_t* data, std::size_t size);
    /// The slices of the next packet, or of the same one again. Stores the parameter sets that it carries.
    [[nodiscard]] std::vector<HevcSlice> read(const AVPacket& packet);

private:
    struct Sequence {
        int width = 0;
        int height = 0;
        int tree_bits = 0;  // log2 of a tree's pixels
        int count_bits = 0;
        bool planes_apart = false;
        [[nodiscard]] int trees() const;
    };
    struct Parameters {
        unsigned sequence = 0;
        bool dependent_slices = false;
        bool output_flags = false;
        unsigned extra_bits = 0;
        bool tiles = false;
    };
    void keep(const Nal& nal);
    void read_sequence(NalBits bits);
    void read_parameters(NalBits bits);
    [[nodiscard]] HevcSlice read_slice(const Nal& nal) const;

    std::size_t length_size_ = 0;
    std::map<unsigned, Sequence> sequences_;
    std::map<unsigned, Parameters> parameters_;
};

}  // namespace vfilter
