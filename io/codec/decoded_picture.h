#pragma once
// A picture from a decoder, with what was reported about it.

#include <cstdint>
#include <string>

#include "io/handles.h"

namespace vfilter {

/// What made a range's pictures.
enum class Made {
    by_hardware,
    beside_it,  ///< by the CPU's threads
    again,      ///< by the CPU in one thread, if nothing else works
};

/// A picture, and what the decoder reported since the previous one.
struct DecodedPicture {
    FramePtr picture;             ///< null at the end
    std::int64_t number = -1;     ///< CpuDecoding's: of the packet that it comes from, -1 if unknown
    std::int64_t known = -1;      ///< RangedDecoder's own: CpuDecoding::known(), of the range; -1 for all of it
    std::int64_t complaints = 0;  ///< errors that it logged
    std::string complaint{};      ///< the last one of them
    std::int64_t refused = 0;     ///< packets
    std::int64_t left_out = 0;    ///< CpuSession's: pictures with parts that were not written
    std::string doubt{};          ///< why it may differ from what the CPU makes in one thread; "" if it does not
    bool damaged = false;         ///< it is in doubt, but may be shown as a damaged one
    bool resident = false;        ///< in the device's memory
    Made made = Made::again;      ///< RangedDecoder's own

    /// What was reported, or "".
    [[nodiscard]] std::string said() const {
        return complaints > 0 ? complaint : refused > 0 ? "the decoder refuses a packet" : "";
    }
};

}  // namespace vfilter
