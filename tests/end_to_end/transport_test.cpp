// MPEG-TS: numbers of streams, several programs, and what has no type there.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Transport : public EndToEnd {
protected:
    void make_base() const {
        ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=1 -f lavfi -i sine=d=1 -c:v libx264 -c:a aac base.mp4");
    }
    // Numbers of streams, by their kind.
    [[nodiscard]] std::vector<int> numbers(const std::string& name, const std::string& kind) const {
        std::vector<int> found;
        for (const Stream& stream : probe(name).of(kind)) {
            found.push_back(std::stoi(stream.facts.at("id").get<std::string>(), nullptr, 16));
        }
        return found;
    }
};

// As in broadcasts. The second row has numbers that FFmpeg's muxer would give by itself, or give a table.
TEST_F(Transport, StreamsKeepTheirNumbersOrGetFreeOnes) {
    make_base();
    struct Row {
        int video;
        int sound;
        std::string options;
        std::pair<int, int> kept;
    };
    const Row rows[] = {{0x200, 0x201, "", {0x200, 0x201}},
                        {0x101, 0x100, "", {0x101, 0x100}},
                        {0x200, 0x1000, "", {0x200, 0x101}},
                        {0x1000, 0x100, "", {0x101, 0x100}},
                        {0x1000, 0x200, "--muxer-option mpegts_pmt_start_pid=0x200", {0x1000, 0x101}},
                        {0x200, 0x201, "--muxer-option mpegts_start_pid=0x300", {0x300, 0x301}}};
    for (const Row& row : rows) {
        ffmpeg(
            fmt::format("-i base.mp4 -map 0:v -map 0:a -c copy -streamid 0:{} -streamid 1:{} -mpegts_pmt_start_pid "
                        "{} in.ts",
                        row.video, row.sound, 0x1800));
        for (const std::string sound : {"", " --audio ac3"}) {
            SCOPED_TRACE(fmt::format("{:x} {:x} {}{}", row.video, row.sound, row.options, sound));
            filter("in.ts out.ts --box 3 " + row.options + sound);
            EXPECT_EQ(numbers("out.ts", "video"), std::vector{row.kept.first});
            EXPECT_EQ(numbers("out.ts", "audio"), std::vector{row.kept.second});
            EXPECT_EQ(count_pictures("out.ts"), 25);
        }
    }
    // What Blu-ray has numbers for gets those.
    filter("in.ts out.ts --box 3 --muxer-option mpegts_m2ts_mode=1");
    EXPECT_EQ(numbers("out.ts", "video"), std::vector{0x1011});
    EXPECT_EQ(numbers("out.ts", "audio"), std::vector{0x1100});
}

// Packets that say that they are scrambled; by `units` it is the headers of their contents that say so.
enum class Saying { packets, units };

std::string scrambled(std::string stream, const std::vector<int>& numbers, Saying saying) {
    std::mt19937 random(1);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
    for (std::size_t at = 0; at + 188 <= stream.size(); at += 188) {
        const auto byte = [&](std::size_t place) { return static_cast<unsigned char>(stream[at + place]); };
        if (std::ranges::find(numbers, (byte(1) & 0x1F) << 8 | byte(2)) == numbers.end()) {
            continue;
        }
        std::size_t place = 4 + ((byte(3) & 0x20) != 0 ? 1 + byte(4) : 0);
        if (saying == Saying::packets) {
            stream[at + 3] = static_cast<char>(stream[at + 3] | 0x80);
        } else if ((byte(1) & 0x40) != 0) {
            stream[at + place + 6] = static_cast<char>(byte(place + 6) | 0x20);
            place += 9 + byte(place + 8);
        }
        for (; place < 188; ++place) {
            stream[at + place] = static_cast<char>(random());
        }
    }
    return stream;
}

TEST_F(Transport, ThatAreScrambledAreNamedAsThat) {
    make_base();
    ffmpeg("-i base.mp4 -map 0:v -map 0:a -c:v copy -c:a mp2 base.ts");
    for (const Saying saying : {Saying::packets, Saying::units}) {
        write("all.ts", scrambled(content("base.ts"), {0x100, 0x101}, saying));
        for (const std::string more : {"", " --strict", " --start 0.2"}) {
            const Result refused = vfilter("all.ts out.mkv -y --box 3" + more);
            EXPECT_EQ(refused.code, 3) << refused;
            EXPECT_NE(refused.err.find("is scrambled"), std::string::npos) << refused;
        }
        write("in.ts", scrambled(content("base.ts"), {0x101}, saying));
        for (const std::string out : {"out.mkv", "out.ts"}) {
            const auto report = filter("in.ts " + out + " --box 3", Damage::expected);
            EXPECT_NE(report["stderr"].dump().find("it is scrambled"), std::string::npos) << report["stderr"];
            EXPECT_EQ(report["frames"]["out"], 25) << report;
            EXPECT_TRUE(probe(out).of("audio").empty()) << out;
        }
        EXPECT_EQ(vfilter("in.ts out.mkv -y --box 3 --strict").code, 5);
        filter("in.ts out.mkv --box 3 --streams video");
        filter("base.ts out.mkv --box 3 --add in.ts", Damage::expected);
    }
}

// Programs that descramble may leave the bits as they were.
TEST_F(Transport, ThatOnlySayThatTheyAreScrambledAreRead) {
    make_base();
    ffmpeg("-i base.mp4 -map 0:v -map 0:a -c copy base.ts");
    std::string stream = content("base.ts");
    for (std::size_t at = 0; at < stream.size(); at += 188) {
        if ((stream[at + 1] & 0x1F) == 1) {
            stream[at + 3] = static_cast<char>(stream[at + 3] | 0x80);
        }
    }
    write("in.ts", stream);
    filter("in.ts out.mkv --box 3");
    EXPECT_EQ(count_pictures("out.mkv"), 25);
    EXPECT_EQ(probe("out.mkv").of("audio").size(), 1U);
}

// Sound of which some packets cannot be read is not whole.
TEST_F(Transport, ThatAreScrambledInPartsAreDamaged) {
    make_base();
    ffmpeg("-i base.mp4 -map 0:v -map 0:a -c copy base.ts");
    std::string stream = content("base.ts");
    int packets = 0;
    for (std::size_t at = 0; at < stream.size(); at += 188) {
        const int pid = (stream[at + 1] & 0x1F) << 8 | static_cast<unsigned char>(stream[at + 2]);
        if (pid == 0x101 && ++packets % 5 == 0) {
            stream[at + 3] = static_cast<char>(stream[at + 3] | 0x80);
        }
    }
    write("in.ts", stream);
    const Result result = vfilter("in.ts out.mkv -y --box 3");
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_NE(result.err.find("stream 257 is scrambled in parts"), std::string::npos) << result;
}

// The name asks for packets of 192 bytes, and what discs hold has a place there.
// Some of its packets look like the codec before, and are refused when they are written.
TEST_F(Transport, ThatChangeTheirCodecEndWithTheFirst) {
    const std::string streams = "-f lavfi -i testsrc2=s=128x96:r=25:d=3 -f lavfi -i sine=d=3 -c:v libx264 -c:a ";
    ffmpeg(streams + "aac -f mpegts a.ts");
    ffmpeg(streams + "mp2 -output_ts_offset 3 -f mpegts b.ts");
    write("in.ts", content("a.ts") + content("b.ts"));
    for (const std::string out : {"out.mkv", "out.mp4", "out.ts"}) {
        SCOPED_TRACE(out);
        const Result result = vfilter("in.ts " + out + " -y --identity");
        EXPECT_EQ(result.code, 5) << result;
        EXPECT_NE(result.err.find("on it is no aac any more"), std::string::npos) << result;
        EXPECT_EQ(result.err.find("stream 0"), std::string::npos) << "where files are joined pictures are whole\n"
                                                                  << result;
    }
}

TEST_F(Transport, OfBlurayAreWhatTheirNameSays) {
    make_base();
    ffmpeg("-i base.mp4 -map 0:v -map 0:a -c:v copy -c:a pcm_bluray -f mpegts -mpegts_m2ts_mode 1 in.m2ts");
    filter("in.m2ts out.m2ts --box 3");
    EXPECT_EQ(content("out.m2ts").size() % 192, 0);
    EXPECT_EQ(content("out.m2ts").at(4), 'G');
    EXPECT_EQ(probe("out.m2ts").of("audio").at(0).codec(), "pcm_bluray");
    EXPECT_EQ(numbers("out.m2ts", "video"), std::vector{0x1011});
}

// QuickTime's tracks may have any.
TEST_F(Transport, NumbersOfOtherContainersMeanNothing) {
    make_base();
    ffmpeg(
        "-i base.mp4 -map 0:v -map 0:a -c copy -streamid 0:300 -streamid 1:256 -use_stream_ids_as_track_ids 1 in.mp4");
    ASSERT_EQ(numbers("in.mp4", "audio"), std::vector{256});
    EXPECT_EQ(filter("in.mp4 out.ts --box 3").at("streams_dropped"), nlohmann::json::array());
    EXPECT_EQ(numbers("out.ts", "video"), std::vector{256});
    EXPECT_EQ(numbers("out.ts", "audio"), std::vector{257});
}

TEST_F(Transport, ProgramsThatOthersDoNotHoldAreTold) {
    const std::string clip =
        "-f lavfi -i testsrc2=s=64x64:r=25:d=0.2 -f lavfi -i sine=d=0.2 -map 0 -map 1 -c:v libx264 -c:a aac ";
    ffmpeg(clip + "-program title=One:st=0 -program title=Two:st=1 two.ts");
    ffmpeg(clip + "-metadata service_name=Channel one.ts");
    ffmpeg(clip + "plain.ts");
    const auto said = [&](const std::string& arguments) {
        const Result result = vfilter(arguments + " -y --device cpu");
        EXPECT_EQ(result.code, 0) << result;
        return result.err;
    };
    EXPECT_NE(said("two.ts out.mp4").find("2 programs, One, Two, are left out: mp4 has none"), std::string::npos);
    EXPECT_NE(said("one.ts out.mkv").find("the name of the program, Channel, is left out: matroska has none"),
              std::string::npos);
    EXPECT_NE(said("two.ts out.mp4 --streams video").find("the name of the program, One,"), std::string::npos);
    for (const std::string nothing :
         {"two.ts out.ts", "two.ts out.mp4 --strip metadata", "two.ts --format null", "plain.ts out.mp4"}) {
        EXPECT_EQ(said(nothing).find("program"), std::string::npos) << nothing;
    }
}

// A reader has streams in the order in which it finds the programs' tables.
TEST_F(Transport, ProgramsComeInAnyOrder) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=3 -f lavfi -i testsrc2=s=96x64:r=25:d=4 -f lavfi -i sine=d=3 -f lavfi -i "
        "sine=500:d=4 -map 0 -map 1 -map 2 -map 3 -c:v libx264 -c:a aac -metadata:s:a:0 language=ger "
        "-metadata:s:a:1 language=eng -program program_num=1:title=a:st=0:st=2 -program program_num=2:title=b:st=1:"
        "st=3 ordered.ts");
    // The tables of the first program come after those of the second.
    constexpr std::size_t packet = 188;
    std::string bytes = content("ordered.ts");
    const auto pid_at = [&](std::size_t at) {
        return (static_cast<unsigned char>(bytes[at + 1]) & 0x1f) << 8 | static_cast<unsigned char>(bytes[at + 2]);
    };
    int swapped = 0;
    for (std::size_t at = 0; at + 2 * packet <= bytes.size(); at += packet) {
        if (pid_at(at) == 0x1000 && pid_at(at + packet) == 0x1001) {
            const std::string first = bytes.substr(at, packet);
            bytes.replace(at, packet, bytes.substr(at + packet, packet));
            bytes.replace(at + packet, packet, first);
            ++swapped;
        }
    }
    ASSERT_GT(swapped, 0);
    write("in.ts", bytes);
    ASSERT_EQ(probe("in.ts").of("video").at(0).facts.at("width"), 96);
    const Result result = vfilter("in.ts out.ts -y --video-stream all --box 3 --report r.json");
    ASSERT_EQ(result.code, 0) << result;
    EXPECT_EQ(json_of("r.json").at("tags_dropped"), nlohmann::json::array());
    const Media in = probe("in.ts");
    const Media out = probe("out.ts");
    ASSERT_EQ(out.streams.size(), 4U);
    for (const Stream& stream : in.streams) {
        const auto same = std::ranges::find(out.streams, stream.facts.at("id"),
                                            [](const Stream& other) { return other.facts.at("id"); });
        ASSERT_NE(same, out.streams.end()) << stream.facts;
        EXPECT_EQ(stream.codec(), same->codec());
        EXPECT_EQ(stream.tag("language"), same->tag("language"));
        if (stream.type() == "video") {
            EXPECT_EQ(stream.facts.at("width"), same->facts.at("width"));
            EXPECT_EQ(stream.packets.size(), same->packets.size());
        }
    }
}

// FFmpeg would write it as private data, which nobody reads.
TEST_F(Transport, CodecsWithoutATypeAreRefusedFirst) {
    make_base();
    const auto refused = [&](const std::string& codec, const std::string& output) {
        const Result result = vfilter(fmt::format("base.mp4 {} --audio {}", output, codec));
        EXPECT_EQ(result.code, 4) << result;
        EXPECT_NE(result.err.find("cannot hold "), std::string::npos) << result;
        EXPECT_EQ(result.err.find("opened again"), std::string::npos) << result;
    };
    for (const std::string codec : {"flac", "vorbis", "alac", "pcm", "wavpack", "tta", "adpcm_ms", "wmav2", "mlp"}) {
        refused(codec, "out.ts");
    }
    for (const std::string scheme : {"udp", "rtp"}) {
        refused("flac", scheme + "://127.0.0.1:9 --allow-network");
    }
    const Result pipe = run("$VFILTER base.mp4 - --format mpegts --audio flac > pipe.ts");
    EXPECT_EQ(pipe.code, 4) << pipe;
    EXPECT_TRUE(content("pipe.ts").empty());
    for (const std::string output : {"out.ts", "rtp://127.0.0.1:9 --allow-network"}) {
        const Result pictures = vfilter(fmt::format("base.mp4 {} --codec jpeg2000", output));
        EXPECT_EQ(pictures.code, 4) << pictures;
        EXPECT_NE(pictures.err.find("cannot hold jpeg2000"), std::string::npos) << pictures;
    }
    EXPECT_FALSE(exists("out.ts"));
    for (const std::string codec : {"aac", "mp3", "ac3", "opus", "mp2"}) {
        filter("base.mp4 out.ts --box 3 --audio " + codec);
        EXPECT_EQ(probe("out.ts").of("audio").at(0).codec(), codec);
    }
}

// A type that FFmpeg does not know, as of tables that television sends beside the video.
TEST_F(Transport, StreamsThatNobodyKnowsAreTold) {
    make_base();
    write("data", std::string(500, 'd'));
    ffmpeg("-i base.mp4 -f data -i data -map 0 -map 1 -c copy -mpegts_start_pid 0x100 data.ts");
    // The entry of private data in the table of the program, and its sum.
    constexpr int private_data = 6;
    constexpr int sections = 5;
    std::string bytes = content("data.ts");
    const std::string entry("\6\xE1\2\xF0", 4);
    std::size_t changed = 0;
    for (std::size_t packet = 0; packet + 188 <= bytes.size(); packet += 188) {
        const std::size_t at = bytes.find(entry, packet);
        if (at == std::string::npos || at >= packet + 188 || (bytes[packet + 1] & 0x1F) != 0x10) {
            continue;
        }
        ASSERT_EQ(bytes[at], private_data);
        bytes[at] = sections;
        const std::size_t begin = packet + 5;
        const std::size_t end = begin + 3 + static_cast<unsigned char>(bytes[begin + 2]) - 4;
        std::uint32_t sum = 0xFFFFFFFF;
        for (std::size_t i = begin; i < end; ++i) {
            sum ^= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << 24U;
            for (int bit = 0; bit < 8; ++bit) {
                sum = (sum & 0x80000000U) != 0 ? (sum << 1U) ^ 0x04C11DB7U : sum << 1U;
            }
        }
        for (std::size_t i = 0; i < 4; ++i) {
            bytes[end + i] = static_cast<char>(sum >> (24 - 8 * i));
        }
        ++changed;
    }
    ASSERT_GT(changed, 0U);
    write("in.ts", bytes);
    for (const std::string output : {"out.ts", "out.mkv", "out.nut"}) {
        SCOPED_TRACE(output);
        const Result result = vfilter("in.ts --identity " + output);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_NE(result.err.find("(unknown, none) is left out"), std::string::npos) << result;
        EXPECT_EQ(probe(output).streams.size(), 2U);
    }
}

// One with room is kept: its clock runs ahead of what is shown.
TEST_F(Transport, ARateWithoutRoomIsTold) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=d=1 -c:v mpeg2video -c:a mp2 in.mkv");
    for (const std::string out : {"out.ts", "out.vob", "out.mpg --format svcd"}) {
        for (const std::string rate : {"1000", "10000000"}) {
            const Result result = vfilter("in.mkv -y --box 3 --muxer-option muxrate=" + rate + " " + out);
            EXPECT_EQ(result.code, 0) << result;
            EXPECT_EQ(result.err.find("is less than these streams need") != std::string::npos, rate == "1000")
                << out << result;
        }
    }
}

// Tables name it, and nothing of it comes: it is scrambled, or sent at other times.
TEST_F(Transport, SoundOfWhichNothingIsKnownIsSaidToBeThat) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=d=1 -c:v mpeg2video -c:a mp2 whole.ts");
    const std::string whole = content("whole.ts");
    std::string without;
    for (std::size_t at = 0; at < whole.size(); at += 188) {
        const int pid = (whole[at + 1] & 0x1F) << 8 | static_cast<unsigned char>(whole[at + 2]);
        without += pid == 0x101 ? "" : whole.substr(at, 188);
    }
    write("in.ts", without);
    const auto report = filter("in.ts out.ts --box 3");
    EXPECT_NE(report["stderr"].dump().find("is left out: its properties are unknown"), std::string::npos)
        << report["stderr"];
    const Result null = vfilter("in.ts --format null --box 3");
    EXPECT_EQ(null.code, 0) << null;
}

}  // namespace

}  // namespace vfilter::test
