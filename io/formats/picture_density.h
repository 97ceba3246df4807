#pragma once
// The resolution at which a picture is printed. FFmpeg's decoders read only the shape of pixels from it, and its
// encoders write it if they are told to.

#include <optional>
#include <string>

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

/// Dots per metre.
struct Density {
    double across = 0;
    double down = 0;
};

/// In a picture's metadata: the name of the entry there; its value is "" for values that cannot be meant.
inline constexpr const char* density_name = "dots per metre";
std::string density_text(Density density);
std::optional<Density> density_of(const AVFrame& picture);

/// For display: "300 dots per inch". "" if it is not known, for which 72 is also used (Exif 2.3, 4.6.4).
std::string shown_density(const AVFrame& picture);

/// Whether the encoder writes it, if set_density() and put_density() are called.
bool keeps_density(const AVFrame& first, const AVCodecContext& encoder);

/// Sets what an encoder that is not open yet has to be told.
void set_density(const OutputOptions& options, const AVFrame& first, AVCodecContext& encoder, Dictionary& settings);

/// Writes it into the output of an encoder that cannot be told. Throws std::bad_alloc.
void put_density(Density density, AVCodecID codec, AVPacket& packet);

}  // namespace vfilter
