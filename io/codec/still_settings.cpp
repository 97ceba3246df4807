#include "io/codec/still_settings.h"

#include <algorithm>
#include <bit>
#include <string>
#include <string_view>

#include "io/formats/picture_density.h"

namespace vfilter {

void set_still_options(const OutputOptions& options, const AVFrame& first, AVCodecContext& encoder,
                       Dictionary& settings) {
    const std::string_view name = encoder.codec->name;
    const auto set = [&](const char* key, const std::string& value) {
        if (find_option(options.encoder_options, key) == nullptr) {
            settings.set(key, value);
        }
    };
    if (name == "sgi") {
        set("rle", "0");  // it leaves out the zero that ends a row, without which other readers fail
    } else if (name == "libopenjpeg") {
        constexpr int usual = 6;  // each half as large as the one before, down to a sample
        const int side = std::max(1, std::min(encoder.width, encoder.height));
        set("numresolution",
            std::to_string(std::min(usual, static_cast<int>(std::bit_width(static_cast<unsigned>(side))))));
    }
    set_density(options, first, encoder, settings);
}

}  // namespace vfilter
