#pragma once
// What a file will tell of its pictures, found out by writing one picture and reading it again: what encoder and
// container can say together stands in no table of FFmpeg's.

#include "config/io_options.h"
#include "io/codec/frame_pool.h"
#include "io/codec/picture_stream.h"

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
};

/// Encodes a black picture like `first` with these options, in memory. `kept` as for Encoder. Nothing where the
/// container cannot be read back. Throws as Encoder does.
std::optional<ToldOfPictures> try_output(const OutputOptions& options, const AVOutputFormat& container,
                                         const PictureStream& stream, const AVFrame& first, AVPixelFormat kept,
                                         FramePool& pool);

/// Whether the first picture or its stream carry HDR10's static data, and a profile of their colours.
ToldOfPictures told_by_input(const AVStream& stream, const AVFrame& first);

}  // namespace vfilter
