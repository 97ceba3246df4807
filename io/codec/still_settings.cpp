#include "io/codec/still_settings.h"

#include <algorithm>
#include <bit>
#include <string>

#include "config/encoder_facts.h"
#include "io/formats/picture_density.h"

namespace vfilter {

void set_still_options(const OutputOptions& options, const AVFrame& first, AVCodecContext& encoder,
                       Dictionary& settings) {
    constexpr const char* sizes = "numresolution";
    if (encoder_facts(encoder.codec->name).has(encoder_fact::halved_sizes) &&
        find_option(options.encoder_options, sizes) == nullptr) {
        constexpr int usual = 6;  // down to a sample
        const int side = std::max(1, std::min(encoder.width, encoder.height));
        settings.set(sizes,
                     std::to_string(std::min(usual, static_cast<int>(std::bit_width(static_cast<unsigned>(side))))));
    }
    set_density(options, first, encoder, settings);
}

}  // namespace vfilter
