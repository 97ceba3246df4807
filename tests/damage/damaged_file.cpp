#include "tests/damage/damaged_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string_view>

#include "io/handles.h"
#include "tests/support/command.h"

namespace vfilter::test {

namespace {

namespace fs = std::filesystem;

const std::string quiet_ffmpeg = "ffmpeg -nostdin -v error -y ";

std::string output_of(const Container& container, const std::string& name) {
    const std::string file = fmt::format("{}.{}", name, container.extension);
    return container.piped ? fmt::format("{} pipe:1 | cat > {}; exit ${{PIPESTATUS[0]}}", container.format, file)
                           : fmt::format("{} {}", container.format, file);
}

void must(const std::string& line, const fs::path& folder) {
    const Result result = run_command(line, folder, std::chrono::seconds(120));
    if (result.code != 0) {
        std::ostringstream text;
        text << result;
        throw std::runtime_error(text.str());
    }
}

class Random {
public:
    Random(const Container& container, unsigned seed) {
        std::uint32_t sum = 2166136261U;  // FNV-1a: the same everywhere, unlike std::hash
        for (const char c : std::string_view(container.name)) {
            sum = (sum ^ static_cast<unsigned char>(c)) * 16777619U;
        }
        generator_.seed(sum + seed);
    }
    /// From `low` to `high`, both included.
    std::size_t whole(std::size_t low, std::size_t high) { return low + generator_() % (high - low + 1); }
    double share(double low, double high) {
        return low + (high - low) * (static_cast<double>(generator_()) / 4294967295.0);
    }
    char byte() { return static_cast<char>(generator_()); }

private:
    std::mt19937 generator_;
};

}  // namespace

std::string read_file(const fs::path& path) {
    std::string content = content_of(path);
    if (content.size() != fs::file_size(path)) {
        throw std::runtime_error(fmt::format("cannot read {}", path.string()));
    }
    return content;
}

void write_file(const fs::path& path, const std::string& content) {
    std::ofstream file(path, std::ios::binary);
    file << content;
    if (!file.flush()) {
        throw std::runtime_error(fmt::format("cannot write {}", path.string()));
    }
}

std::string quoted(const fs::path& path) {
    std::string text = "'";
    for (const char c : path.string()) {
        text += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
    return text + "'";
}

std::vector<std::size_t> video_packets(const fs::path& path) {
    AVFormatContext* opened = nullptr;
    av_check(avformat_open_input(&opened, path.c_str(), nullptr, nullptr), "avformat_open_input");
    const auto close = [](AVFormatContext* context) { avformat_close_input(&context); };
    const std::unique_ptr<AVFormatContext, decltype(close)> input(opened, close);
    av_check(avformat_find_stream_info(opened, nullptr), "avformat_find_stream_info");
    const int stream = av_find_best_stream(opened, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
    const PacketPtr packet = make_packet();
    std::vector<std::size_t> hashes;
    while (av_read_frame(opened, packet.get()) >= 0) {
        if (packet->stream_index == stream) {
            const std::span<const std::uint8_t> bytes(packet->data, static_cast<std::size_t>(packet->size));
            hashes.push_back(
                std::hash<std::string_view>{}({reinterpret_cast<const char*>(bytes.data()), bytes.size()}));
        }
        av_packet_unref(packet.get());
    }
    return hashes;
}

void make_whole(const Container& container, const fs::path& clip, double start, const fs::path& folder) {
    must(fmt::format("{} -threads 1 -ss {:.3f} -t 5 -i {} -map 0:v:0 -map 0:a:0? -sn -map_metadata -1 -vf {} -pix_fmt "
                     "{} -threads 1 {} -fflags +bitexact -flags:v +bitexact {}",
                     quiet_ffmpeg, start, quoted(clip), container.pictures,
                     container.name == std::string_view("gif") ? "rgb8" : "yuv420p", container.codecs,
                     output_of(container, "whole")),
         folder);
}

void drop_packets(const Container& container, const std::string& which, const fs::path& folder) {
    must(fmt::format("{} -i whole.{} -map 0 {} -fflags +bitexact {}", quiet_ffmpeg, container.extension,
                     fmt::format(fmt::runtime(container.drop), which), output_of(container, "damaged")),
         folder);
}

std::string damage_whole(const Container& container, Damage damage, unsigned seed, const fs::path& folder) {
    const fs::path whole = folder / fmt::format("whole.{}", container.extension);
    Random random(container, seed);
    if (damage == Damage::packets || damage == Damage::last_packets || damage == Damage::first_packets) {
        const std::size_t count = video_packets(whole).size();
        std::size_t first = 0;
        std::size_t last = random.whole(0, 5);
        if (damage == Damage::packets) {
            first = random.whole(count / 5, count * 4 / 5);
            last = first + random.whole(0, 5);
        } else if (damage == Damage::last_packets) {
            first = count - random.whole(1, count / 3);
            last = count - 1;
        }
        drop_packets(container, fmt::format("between(n,{},{})", first, last), folder);
        return fmt::format("video packets {} to {} of {} dropped", first, last, count);
    }
    std::string bytes = read_file(whole);
    std::string told;
    const std::size_t size = bytes.size();
    const auto part = [&](double low, double high) {
        return std::max<std::size_t>(1, static_cast<std::size_t>(random.share(low, high) * static_cast<double>(size)));
    };
    if (damage == Damage::zeros || damage == Damage::noise) {
        const std::size_t places = random.whole(1, 3);
        const std::size_t length = std::max<std::size_t>(1, part(0.01, 0.05) / places);
        for (std::size_t i = 0; i < places; ++i) {
            const std::size_t at = random.whole(0, size - length);
            for (std::size_t k = at; k < at + length; ++k) {
                bytes[k] = damage == Damage::zeros ? '\0' : random.byte();
            }
            told += fmt::format("{} {} {} from {}", i == 0 ? "" : ",", length,
                                damage == Damage::zeros ? "zeros" : "random bytes", at);
        }
    } else if (damage == Damage::bits) {
        const std::size_t count = std::max<std::size_t>(3, size / 10000);
        for (std::size_t i = 0; i < count; ++i) {
            char& byte = bytes[random.whole(0, size - 1)];
            byte = static_cast<char>(static_cast<unsigned char>(byte) ^ (1U << random.whole(0, 7)));
        }
        told = fmt::format("{} bits turned over", count);
    } else if (damage == Damage::hole) {
        const std::size_t length = part(0.01, 0.05);
        const std::size_t at = random.whole(size / 5, size * 4 / 5 - length);
        bytes.erase(at, length);
        told = fmt::format("{} bytes from {} cut out", length, at);
    } else if (damage == Damage::tail) {
        const std::size_t length = part(0.01, 0.30);
        bytes.resize(size - length);
        told = fmt::format("the last {} bytes cut off", length);
    } else {
        const std::size_t length = part(0.005, 0.03);
        const std::size_t at = random.whole(size / 20, size);
        std::string junk(length, '\0');
        std::generate(junk.begin(), junk.end(), [&] { return random.byte(); });
        bytes.insert(at, junk);
        told = fmt::format("{} random bytes put in at {}", length, at);
    }
    write_file(folder / fmt::format("damaged.{}", container.extension), bytes);
    return fmt::format("{}, of {} bytes", told.substr(told.find_first_not_of(' ')), size);
}

}  // namespace vfilter::test
