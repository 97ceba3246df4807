#pragma once
// What pictures say about themselves besides their samples, where the output cannot follow: an encoder is told once,
// before the first picture, and writes little of the data that come with later ones.

#include <optional>
#include <span>
#include <string>
#include <string_view>

extern "C" {
#include <libavutil/frame.h>
}

#include "io/handles.h"

namespace vfilter {

/// Data of the bit stream that come with single pictures.
struct PictureData {
    AVFrameSideDataType type = AV_FRAME_DATA_PANSCAN;
    const char* name = "";  ///< "HDR10+ data"
    AVPacketSideDataType in_stream =
        AV_PKT_DATA_NB;  ///< if a container can state it by itself, which is reported elsewhere; NB for none
    bool (*says)(const AVFrame&, const AVFrameSideData&) = nullptr;  ///< whether it says anything; null: it always does
};
/// Those that are reported if the output cannot hold them. A type's index here is its bit in a set of them.
std::span<const PictureData> picture_data();
/// Which of them a picture has.
unsigned picture_data_of(const AVFrame& picture);

/// For a bit stream's colour code: a reserved one (0 and 3 of ITU-T H.273) says nothing.
inline AVColorPrimaries said(AVColorPrimaries told) {
    return told == AVCOL_PRI_RESERVED0 || told == AVCOL_PRI_RESERVED ? AVCOL_PRI_UNSPECIFIED : told;
}
inline AVColorTransferCharacteristic said(AVColorTransferCharacteristic told) {
    return told == AVCOL_TRC_RESERVED0 || told == AVCOL_TRC_RESERVED ? AVCOL_TRC_UNSPECIFIED : told;
}
inline AVColorSpace said(AVColorSpace told) {
    return told == AVCOL_SPC_RESERVED ? AVCOL_SPC_UNSPECIFIED : told;
}

/// PQ and HLG.
bool is_hdr_curve(AVColorTransferCharacteristic curve);
/// Removes data about the light of HDR from a picture that is no longer HDR.
void drop_hdr_data(AVFrame& picture);

/// "10:00:00:00", the time code of a picture that has its own (from MPEG-2's groups of pictures, SMPTE ST 12-1);
/// otherwise "".
std::string picture_time_code(const AVFrame& picture);
/// The same, but "" if it only counts the pictures from 0; this one is displayed `seconds` after that.
std::string told_time_code(const AVFrame& picture, double seconds);

/// Whether the encoder of that name continues a time code, which it is given once.
bool keeps_time_code(std::string_view encoder);

/// Reports what changes from one picture to the next and stays as it began in the output: pixel aspect, colours, scan,
/// HDR metadata, rotation, data of the table; and a time code that does not continue. Each once. One thread.
class PictureChanges {
public:
    /// `first`: the picture for which the encoder was opened. Its samples are not kept.
    explicit PictureChanges(const AVFrame& first);

    /// A later picture, in order of presentation, displayed at `seconds`.
    void look(const AVFrame& picture, int stream, double seconds);

private:
    struct Jump {
        double offset;  // of the time code from the time
        double seconds;
        std::string code;
    };
    void look_at_time_code(const AVFrame& picture, int stream, double seconds);

    FramePtr first_;
    std::optional<double> code_offset_;
    std::optional<Jump> jump_;  // met once
    bool told_jump_ = false;
    unsigned data_ = 0;  // seen so far
    unsigned told_ = 0;  // which of the properties have been reported
};

}  // namespace vfilter
