#pragma once
// How many dots a picture has in a length where it is printed. FFmpeg's decoders read nothing of it but the shape of
// pixels, and its encoders write it where they are told.

#include <optional>
#include <string>

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

/// In a metre.
struct Density {
    double across = 0;
    double down = 0;
};

/// Of a picture's metadata: its name there, and the value, which is "" for what nobody can mean.
inline constexpr const char* density_name = "dots per metre";
std::string density_text(Density density);
std::optional<Density> density_of(const AVFrame& picture);

/// What people call it: "300 dots per inch". "" where it is not known, of which 72 stands for as well
/// (Exif 2.3, 4.6.4).
std::string shown_density(const AVFrame& picture);

/// Whether the encoder writes it, if set_density() and put_density() are called.
bool keeps_density(const AVFrame& first, const AVCodecContext& encoder);

/// Adds what an encoder that is not open yet has to be told.
void set_density(const OutputOptions& options, const AVFrame& first, AVCodecContext& encoder, Dictionary& settings);

/// Into what an encoder has made that cannot be told. Throws std::bad_alloc.
void put_density(Density density, AVCodecID codec, AVPacket& packet);

}  // namespace vfilter
