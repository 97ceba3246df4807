#include "io/input/drawings.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <span>
#include <system_error>
#include <vector>

#include "io/bitstream/svg_images.h"
#include "io/input/input_bytes.h"
#include "io/source.h"

namespace vfilter {

namespace {

// One byte more than is looked into, where there is more.
template <typename Read>
std::vector<std::uint8_t> read_drawing(std::size_t size, const Read& read) {
    constexpr std::size_t step = std::size_t{1} << 20;
    std::vector<std::uint8_t> drawing;
    while (drawing.size() <= max_drawing) {
        const std::size_t before = drawing.size();
        drawing.resize(before + std::min(step, size - std::min(size, before)));
        const std::size_t got = read(before, std::span(drawing).subspan(before));
        drawing.resize(before + got);
        if (got == 0) {
            break;
        }
    }
    return drawing;
}

std::vector<std::uint8_t> drawing_in(const InputBytes& bytes) {
    if (bytes.seekable()) {
        return read_drawing(static_cast<std::size_t>(bytes.size()), [&](std::size_t at, std::span<std::uint8_t> to) {
            return bytes.read_at(static_cast<std::int64_t>(at), to);
        });
    }
    AVIOContext* const context = bytes.context();
    std::vector<std::uint8_t> drawing = read_drawing(SIZE_MAX, [&](std::size_t, std::span<std::uint8_t> to) {
        return static_cast<std::size_t>(std::max(0, avio_read(context, to.data(), static_cast<int>(to.size()))));
    });
    avio_seek(context, 0, SEEK_SET);
    return drawing;
}

std::vector<std::uint8_t> drawing_named(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return read_drawing(SIZE_MAX, [&](std::size_t, std::span<std::uint8_t> to) {
        file.read(reinterpret_cast<char*>(to.data()), static_cast<std::streamsize>(to.size()));
        return static_cast<std::size_t>(file.gcount());
    });
}

}  // namespace

std::string why_not_drawn(const InputOptions& options, const AVFormatContext& format, const InputBytes* bytes) {
    const auto is_svg = [](const AVStream* stream) { return stream->codecpar->codec_id == AV_CODEC_ID_SVG; };
    if (std::ranges::none_of(std::span(format.streams, format.nb_streams), is_svg)) {
        return "";
    }
    if (source_of(options.path).network()) {
        return "an SVG at an address is not drawn: download it first";
    }
    if (options.format.empty() && !is_name_of_svg(options.path)) {
        return "is an SVG, which is drawn only if its name ends with .svg or .svgz, or with --input-format svg_pipe";
    }
    std::error_code unknown;
    if (bytes == nullptr && !std::filesystem::is_regular_file(options.path, unknown)) {
        return "is an SVG, which is drawn from a file only: put it into one";
    }
    return excess_of_svg(bytes != nullptr ? drawing_in(*bytes) : drawing_named(options.path), options.max_pixels);
}

}  // namespace vfilter
