#pragma once
// What a file will say about its pictures, determined by writing one picture and reading it back: what an encoder and a
// container can express together is not in any table of FFmpeg's.

#include <string>

#include "config/io_options.h"
#include "io/codec/encode_task.h"
#include "io/codec/picture_stream.h"
#include "io/formats/frame_pool.h"

namespace vfilter {

struct ToldOfPictures {
    AVPixelFormat format = AV_PIX_FMT_NONE;
    AVColorRange range = AVCOL_RANGE_UNSPECIFIED;
    AVColorPrimaries primaries = AVCOL_PRI_UNSPECIFIED;
    AVColorTransferCharacteristic curve = AVCOL_TRC_UNSPECIFIED;
    AVColorSpace matrix = AVCOL_SPC_UNSPECIFIED;
    bool interlaced = false;
    bool mastering_display = false;
    bool light_level = false;
    bool icc_profile = false;
    unsigned data = 0;        ///< picture_data_of the first one
    std::string time_code{};  ///< of the first one of an input, unless it counts from the beginning
    AVChromaLocation siting = AVCHROMA_LOC_UNSPECIFIED;
};

struct OutputTrial {
    AVPixelFormat encoded = AV_PIX_FMT_NONE;  ///< what the encoder is given; NONE if there is no file
    std::optional<ToldOfPictures> told{};     ///< empty if the container cannot be read back
};

/// Encodes a black picture like `first` with these options and for this task, in memory. `kept` as for Encoder. Throws
/// as Encoder does.
OutputTrial try_output(const OutputOptions& options, const EncodeTask& task, const AVOutputFormat& container,
                       const PictureStream& stream, const AVFrame& first, AVPixelFormat kept, FramePool& pool);

/// The properties of the first picture and its stream.
ToldOfPictures told_by_input(const AVStream& stream, const AVFrame& first);

}  // namespace vfilter
