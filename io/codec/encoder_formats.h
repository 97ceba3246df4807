#pragma once
// In which format an encoder gets its pictures, and how they are tagged then.

#include <string>
#include <string_view>
#include <vector>

#include "config/io_options.h"
#include "io/codec/encode_task.h"
#include "io/codec/picture_stream.h"
#include "io/handles.h"

namespace vfilter {

/// Formats that an encoder takes in that container; none if it does not say. Uncompressed pictures are known by a tag
/// in the file, and not every format has one: FFmpeg's muxers write another format's instead.
std::vector<AVPixelFormat> taken_formats(const AVCodec& codec, const AVOutputFormat& container,
                                         const OutputOptions& options, const EncodeTask& task);
/// Formats in which the encoder named by the options, or the container's own, is to get its pictures; none for any,
/// where it does not say.
std::vector<AVPixelFormat> formats_taken(const OutputOptions& options, const EncodeTask& task,
                                         const AVOutputFormat& container);

/// Takes out the formats that an encoder takes and does not keep: of NVENC's, those with alpha, which is not encoded,
/// and, for pictures of more than 10 bits, those of 16, of which 10 are.
void keep_true_formats(std::string_view encoder, AVPixelFormat pictures, std::vector<AVPixelFormat>& taken);

/// The format for pictures of format `kept`: the user's, or that, or the nearest that the encoder takes. `encoder` has
/// its codec and range. Throws Error(usage) for a format that does not exist, Error(encoder) for one it does not take.
AVPixelFormat choose_encoder_format(const OutputOptions& options, const EncodeTask& task,
                                    const AVOutputFormat& container, const AVCodecContext& encoder, AVPixelFormat kept);

/// Sets matrix and range of an encoder whose pictures were converted from `kept` to its format. `named`: the matrix by
/// which RGB was made YUV; unspecified is BT.601's.
void tag_converted(AVCodecContext& encoder, AVPixelFormat kept, AVColorSpace named);

/// Gray is full without a tag; bit streams that have one mean the limited range without it.
void tag_full_gray(AVCodecContext& encoder, AVPixelFormat kept);

/// Reports what becomes of pictures of format `kept`, which graphs may have converted before, in the format of
/// `encoder`, which is chosen. Says nothing in a trial.
void tell_conversions(const OutputOptions& options, const EncodeTask& task, const AVOutputFormat& container,
                      const GraphedFormats& graphed, const AVCodecContext& encoder, AVPixelFormat kept);

/// The curves of HDR need ten bits: eight show bands, and look grey on screens that know no HDR. Not of pictures that
/// have no more themselves.
void tell_hdr_in_few_bits(const AVCodecContext& encoder, AVPixelFormat given);

/// YUV that says nothing of its matrix is made RGB by BT.601, and JPEG and WebP are read by it, whatever its size;
/// players take it for BT.709 from HD on. `guessed_rgb`: GraphedFormats'.
void tell_guessed_matrix(const AVCodecContext& encoder, const AVFrame& first, bool guessed_rgb);

/// The colour space of an ICC profile (ICC.1, 7.2.6), as it states it: "RGB "; "" if the profile is too short.
std::string_view space_of_profile(const AVFrameSideData& profile);
/// Whether it fits pictures in the format `to` that were converted from `from`. CMYK is decoded to RGB.
bool fits_profile(const AVFrameSideData& profile, AVPixelFormat from, AVPixelFormat to);

}  // namespace vfilter
