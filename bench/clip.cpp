#include "bench/clip.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#include <stdexcept>
#include <vector>

namespace vfilter::bench {

namespace {

using Samples = std::vector<std::uint8_t>;

// Waves of many lengths, each octave half as high as the one before.
Samples make_landscape(int width, int height, double wave_scale) {
    std::vector<double> sums(static_cast<std::size_t>(width) * static_cast<std::size_t>(height), 118.0);
    std::mt19937 random(1);
    const auto any = [&] { return static_cast<double>(random()) / 4294967296.0; };
    for (int octave = 0; octave < 8; ++octave) {
        for (int i = 0; i < 3; ++i) {
            const double pace = 0.004 * std::ldexp(wave_scale, octave);
            const double direction = 3.14 * any();
            const double across = pace * std::cos(direction);
            const double down = pace * std::sin(direction);
            const double phase = 6.28 * any();
            for (int y = 0; y < height; ++y) {
                // One rotation for each sample instead of one sine.
                double sine = std::ldexp(28.0, -octave) * std::sin(phase + down * y);
                double cosine = std::ldexp(28.0, -octave) * std::cos(phase + down * y);
                double* const line = sums.data() + static_cast<std::ptrdiff_t>(y) * width;
                for (int x = 0; x < width; ++x) {
                    line[x] += sine;
                    const double next = sine * std::cos(across) + cosine * std::sin(across);
                    cosine = cosine * std::cos(across) - sine * std::sin(across);
                    sine = next;
                }
            }
        }
    }
    Samples samples(sums.size());
    // Steps in it make edges.
    std::ranges::transform(sums, samples.begin(), [](double sum) {
        return static_cast<std::uint8_t>(std::clamp(0.6 * sum + 0.4 * 40 * std::round(sum / 40), 16.0, 215.0));
    });
    return samples;
}

Samples make_noise(std::size_t count) {
    std::mt19937 random(2);
    Samples noise(count);
    std::ranges::generate(noise, [&] { return static_cast<std::uint8_t>(2 * std::popcount(random() & 0xFFFU)); });
    return noise;
}

// Writes y4m, the format that needs no library, until all is written or nobody reads.
class Film {
public:
    Film(int width, int height)
        : width_(width),
          height_(height),
          landscape_(make_landscape(2 * width, 2 * height, 1080.0 / height)),
          noise_(make_noise(2 * static_cast<std::size_t>(width) * static_cast<std::size_t>(height))) {}

    void write(std::FILE* file, int frames) {
        std::fprintf(file, "YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n", width_, height_);
        for (int n = 0; n < frames && std::ferror(file) == 0; ++n) {
            std::fputs("FRAME\n", file);
            plane(file, n, width_, height_);
            for (const int color : {120, 136}) {
                const Samples flat(static_cast<std::size_t>(width_ / 2) * static_cast<std::size_t>(height_ / 2),
                                   static_cast<std::uint8_t>(color));
                std::fwrite(flat.data(), 1, flat.size(), file);
            }
        }
    }

private:
    void plane(std::FILE* file, int n, int width, int height) {
        // Slowly around a circle, with other noise each time.
        const double angle = 0.01 * n;
        const int left = static_cast<int>((0.5 + 0.49 * std::cos(angle)) * width);
        const int top = static_cast<int>((0.5 + 0.49 * std::sin(angle)) * height);
        const std::size_t samples = static_cast<std::size_t>(width) * static_cast<std::size_t>(height);
        const std::size_t grain = static_cast<std::size_t>(n) * 7919 % samples;
        line_.resize(static_cast<std::size_t>(width));
        for (int y = 0; y < height; ++y) {
            const std::uint8_t* const from = landscape_.data() + std::ptrdiff_t{2} * width * (top + y) + left;
            const std::uint8_t* const noise = noise_.data() + grain + static_cast<std::ptrdiff_t>(y) * width;
            for (int x = 0; x < width; ++x) {
                line_[static_cast<std::size_t>(x)] = static_cast<std::uint8_t>(from[x] + noise[x]);
            }
            std::fwrite(line_.data(), 1, line_.size(), file);
        }
    }

    int width_;
    int height_;
    Samples landscape_;
    Samples noise_;
    Samples line_;
};

}  // namespace

void make_clip(const std::string& vfilter, const std::string& path, int height, int frames) {
    Film film(height * 16 / 9, height);
    const std::string command =
        "exec '" + vfilter + "' -q -y - '" + path + "' --codec libx264 --preset ultrafast --crf 23 2>&1 >/dev/null";
    std::FILE* const encoder = popen(command.c_str(), "w");
    if (encoder == nullptr) {
        throw std::runtime_error("popen: " + std::string(std::strerror(errno)));
    }
    film.write(encoder, frames);
    if (pclose(encoder) != 0) {
        throw std::runtime_error("no clip could be made: '" + vfilter + "' failed to encode it");
    }
}

}  // namespace vfilter::bench
