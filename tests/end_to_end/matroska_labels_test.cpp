// What Matroska says of chapters, tags and streams, and FFmpeg does not read.

#include <fmt/format.h>

#include <utility>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

using namespace std::string_literals;

std::string element(const std::string& id, const std::string& payload) {
    std::string size(8, '\0');
    for (std::size_t i = 0; i < 8; ++i) {
        size[7 - i] = static_cast<char>(payload.size() >> (8 * i));
    }
    size[0] = '\x01';
    return id + size + payload;
}

std::string number(const std::string& id, std::uint64_t value) {
    std::string bytes;
    for (int shift = 56; shift >= 0; shift -= 8) {
        bytes += static_cast<char>(value >> shift);
    }
    return element(id, bytes);
}

std::string title(const std::string& words, const std::string& language = "und") {
    return element("\x80", element("\x85", words) + element("\x43\x7c", language));
}

// Seconds, and what else it has.
std::string chapter(std::uint64_t uid, double begin, double end, const std::string& more) {
    const auto nanoseconds = [](double seconds) { return static_cast<std::uint64_t>(seconds * 1e9); };
    return element(
        "\xb6", number("\x73\xc4", uid) + number("\x91", nanoseconds(begin)) + number("\x92", nanoseconds(end)) + more);
}

std::string edition(const std::string& chapters) {
    return element("\x45\xb9", chapters);
}

std::string simple(const std::string& name, const std::string& value, const std::string& more = "") {
    return element("\x67\xc8", element("\x45\xa3", name) + element("\x44\x87", value) + more);
}

std::string tag(const std::string& targets, const std::string& tags) {
    return element("\x73\x73", element("\x63\xc0", targets) + tags);
}

const std::string chapters_id = "\x10\x43\xa7\x70";
const std::string tags_id = "\x12\x54\xc3\x67";
const std::string cluster_id = "\x1f\x43\xb6\x75";

class MatroskaLabels : public EndToEnd {
protected:
    // A clip of 2 s without an index, which has more headers in front of its pictures, and more in its tracks.
    void make(const std::string& name, const std::string& headers,
              const std::vector<std::string>& in_tracks = {}) const;
    // What the report has, and how many lines told of it.
    [[nodiscard]] std::pair<std::vector<std::string>, int> unread(const std::string& arguments) const {
        const nlohmann::json report = filter(arguments);
        int lines = 0;
        for (const std::string line : report.at("stderr")) {
            lines += line.find("FFmpeg does not read") != std::string::npos ? 1 : 0;
        }
        return {report.at("labels_unread").get<std::vector<std::string>>(), lines};
    }
    using Lost = std::pair<std::vector<std::string>, int>;
};

void MatroskaLabels::make(const std::string& name, const std::string& headers,
                          const std::vector<std::string>& in_tracks) const {
    // Through a pipe: without sizes, which would not be right any more.
    const Result made = run(
        "ffmpeg -v error -f lavfi -i testsrc2=s=64x64:d=2 -f lavfi -i sine=d=2 -f lavfi -i sine=300:d=2 -map 0 -map 1 "
        "-map 2 -c:v libx264 -c:a aac -metadata:s:a:0 language=por -metadata:s:a:1 language=chi -f matroska - | cat > "
        "plain.mkv");
    ASSERT_EQ(made.code, 0) << made;
    std::string bytes = content("plain.mkv");
    // The entries of its tracks, in order: their sizes are of as few bytes as they need, or of eight.
    const auto number_at = [&](std::size_t at) {
        std::size_t length = 1;
        auto first = static_cast<unsigned char>(bytes[at]);
        while (length < 8 && ((first << (length - 1)) & 0x80) == 0) {
            ++length;
        }
        std::uint64_t value = first & (0xffU >> length);
        for (std::size_t i = 1; i < length; ++i) {
            value = value << 8U | static_cast<unsigned char>(bytes[at + i]);
        }
        return std::pair(value, at + length);
    };
    // The index of headers has places that are to change.
    const std::size_t index = bytes.find("\x11\x4d\x9b\x74");
    ASSERT_NE(index, std::string::npos);
    const auto [index_size, index_data] = number_at(index + 4);
    bytes.erase(index, index_data + index_size - index);
    const std::string tracks_id = "\x16\x54\xae\x6b";
    const std::size_t begin = bytes.find(tracks_id);
    ASSERT_NE(begin, std::string::npos);
    const auto [size, data] = number_at(begin + 4);
    std::string tracks;
    std::size_t count = 0;
    for (std::size_t at = data; at < data + size;) {
        const auto [length, payload] = number_at(at + 1);
        if (bytes[at] == '\xae') {
            tracks +=
                element("\xae", bytes.substr(payload, length) + (count < in_tracks.size() ? in_tracks[count] : ""));
            ++count;
        }
        at = payload + length;
    }
    bytes.replace(begin, data + size - begin, element(tracks_id, tracks));
    bytes.insert(bytes.find(cluster_id), headers);
    write(name, bytes);
}

TEST_F(MatroskaLabels, OfWhichNothingIsLostSayNothing) {
    make("in.mkv", element(chapters_id, edition(chapter(1, 0, 1, title("a")) + chapter(2, 1, 2, title("b", "eng")))) +
                       element(tags_id, tag("", simple("ARTIST", "me") + simple("GENRE", "x")) +
                                            tag(number("\x63\xc5", 1), simple("BPS", "1") + simple("BPS", "2"))));
    for (const std::string options : {"", " --start 1", " --frames 5"}) {
        EXPECT_EQ(unread("in.mkv out.mkv -y" + options), (Lost{})) << options;
    }
    EXPECT_EQ(probe("out.mkv").tag("ARTIST"), "me");
}

TEST_F(MatroskaLabels, OfChaptersAreTold) {
    make("in.mkv", element(chapters_id,
                           edition(chapter(1, 0, 1,
                                           title("one") + title("eins", "ger") + chapter(11, 0, 0.5, title("n")) +
                                               chapter(12, 0.5, 1, title("n") + chapter(13, 0.5, 0.6, title("deep")))) +
                                   chapter(2, 1, 1.5, title("two") + number("\x98", 1)) +
                                   chapter(3, 1.5, 2, title("three") + title("drei", "ger") + number("\x45\x98", 0))) +
                               edition(chapter(21, 0, 1.7, title("other")) + chapter(22, 1.7, 2, title("other 2")))));
    const std::vector<std::string> all{"chapters: 3 nested chapters",
                                       "chapters: 2 chapters of other editions",
                                       "chapters: 2 titles in other languages (und)",
                                       "chapters: the language of 2 titles (ger)",
                                       "chapters: that 1 is hidden",
                                       "chapters: that 1 is disabled"};
    for (const std::string name : {"out.mkv", "out.mp4"}) {
        EXPECT_EQ(unread("in.mkv " + name), Lost(all, 1));
        EXPECT_EQ(probe(name).chapters.size(), 3U) << "those of another edition are not mixed with them";
    }
    // Of a part its own, and where there are no chapters their number is told.
    EXPECT_EQ(unread("in.mkv out.mkv -y --start 1.1 --duration 0.3"),
              Lost({"chapters: 1 chapter of another edition", "chapters: that 1 is hidden"}, 1));
    EXPECT_EQ(unread("in.mkv out.avi"), (Lost{}));
    const Result null = vfilter("in.mkv --format null --identity");
    EXPECT_EQ(null.code, 0);
    EXPECT_EQ(null.err.find("does not read"), std::string::npos) << null;
    EXPECT_EQ(unread("in.mkv out.mkv -y --strip metadata"), Lost({all[0], all[1], all[4], all[5]}, 1));
    ASSERT_EQ(run("cat in.mkv | $VFILTER - piped.mkv --identity --report piped.json").code, 0);
    EXPECT_EQ(json_of("piped.json").at("labels_unread"), nlohmann::json(all));
}

// Where the index of headers says that they are.
TEST_F(MatroskaLabels, BehindThePicturesAreTold) {
    make("plain_in.mkv", "");
    const std::string bytes = content("plain_in.mkv");
    const std::string segment_id = "\x18\x53\x80\x67";
    const std::size_t segment = bytes.find(segment_id);
    const auto seeks = [](std::uint64_t position) {
        return element("\x11\x4d\x9b\x74",
                       element("\x4d\xbb", element("\x53\xab", chapters_id) + number("\x53\xac", position)));
    };
    const std::string rest = bytes.substr(segment + 4 + 8);
    const std::string headers = element(chapters_id, edition(chapter(1, 0, 2, chapter(2, 0, 1, ""))));
    write("in.mkv",
          bytes.substr(0, segment) + element(segment_id, seeks(seeks(0).size() + rest.size()) + rest + headers));
    EXPECT_EQ(unread("in.mkv out.mkv"), Lost({"chapters: 1 nested chapter"}, 1));
}

TEST_F(MatroskaLabels, OfTagsAreTold) {
    const std::string uid = "\x63\xc5";
    make("in.mkv",
         element(tags_id, tag("", simple("ARTIST", "one") + simple("ARTIST", "two") + simple("GENRE", "x")) +
                              tag(number("\x68\xca", 70), simple("COLLECTION", "all")) +
                              tag(number("\x68\xca", 30) + element("\x63\xca", "CHAPTER"), simple("PART", "1")) +
                              tag("", simple("LABEL", "a", simple("URL", "b"))) +
                              tag("", element("\x67\xc8", element("\x45\xa3", "COVER") + element("\x44\x85", "bin")))));
    const std::vector<std::string> all{"tags: 1 value of a repeated tag (ARTIST)",
                                       "tags: the levels of 2 tags (COLLECTION at 70, PART at CHAPTER)",
                                       "tags: the nesting of 1 tag (URL)", "tags: 1 binary tag (COVER)"};
    EXPECT_EQ(unread("in.mkv out.mkv"), Lost(all, 1));
    EXPECT_EQ(unread("in.mkv out.mkv -y --strip metadata"), (Lost{}));
}

TEST_F(MatroskaLabels, OfStreamsAreTold) {
    const std::string language = "\x22\xb5\x9d";
    make("in.mkv", "", {"", element(language, "pt-BR"), element(language, "zh") + number("\xb9", 0)});
    EXPECT_EQ(unread("in.mkv out.mkv"), Lost({"language pt-BR of stream 1", "that stream 2 is disabled"}, 2));
    EXPECT_EQ(unread("in.mkv out.mkv -y --audio none"), (Lost{}));
    EXPECT_EQ(unread("in.mkv out.mkv -y --streams video,audio:0"), Lost({"language pt-BR of stream 1"}, 1));
    // It wins over the three letters.
    make("in.mkv", "", {"", element(language, "ja"), element(language, "zh-Hans")});
    EXPECT_EQ(unread("in.mkv out.mkv -y"), Lost({"language zh-Hans of stream 2"}, 1));
    const std::vector<Stream> sounds = probe("out.mkv").of("audio");
    EXPECT_EQ(sounds.at(0).tag("language"), "jpn");
    EXPECT_EQ(sounds.at(1).tag("language"), "chi");
}

// Those that mkvmerge writes of a stream, which others copy.
TEST_F(MatroskaLabels, StatisticsOfTheWholeAreNotThoseOfAPart) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:d=2 -f lavfi -i sine=d=2 -c:v libx264 -c:a aac -metadata:s:a BPS=128000 "
        "-metadata:s:a BPS-eng=128000 -metadata:s:a NUMBER_OF_FRAMES=87 -metadata:s:a NUMBER_OF_BYTES-eng=32000 "
        "-metadata:s:a _STATISTICS_TAGS=BPS -metadata:s:a DURATION-eng=00:00:02.000000000 -metadata:s:a title=kept "
        "in.mkv");
    const auto tags = [&](const std::string& arguments) {
        filter("in.mkv " + arguments);
        nlohmann::json found = probe("out.mkv").of("audio").at(0).facts.at("tags");
        found.erase("DURATION");  // the muxer's own
        found.erase("ENCODER");   // by FFmpeg, and still true
        return found;
    };
    EXPECT_EQ(tags("out.mkv").size(), 7U) << "they are true of all of it";
    for (const std::string part : {"--start 1", "--end 1", "--duration 1", "--frames 5"}) {
        EXPECT_EQ(tags("out.mkv " + part), (nlohmann::json{{"title", "kept"}})) << part;
    }
}

// As mkvmerge names WebVTT.
TEST_F(MatroskaLabels, ACodecThatFfmpegDoesNotKnowIsNamed) {
    write("w.vtt", "WEBVTT\n\n00:00.500 --> 00:01.000\nwords\n");
    ffmpeg("-f lavfi -i testsrc2=s=64x64:d=1 -i w.vtt -c:v libvpx -c:s webvtt known.webm");
    std::string bytes = content("known.webm");
    const std::string known = "D_WEBVTT/SUBTITLES";
    bytes.replace(bytes.find(known), known.size(), "S_TEXT/WEBVTT" + std::string(5, '\0'));
    write("in.webm", bytes);
    for (const std::string out : {"out.mkv", "out.mp4"}) {
        EXPECT_NE(filter("in.webm " + out)
                      .at("stderr")
                      .dump()
                      .find("is left out: FFmpeg does not know its codec, S_TEXT/WEBVTT"),
                  std::string::npos);
    }
}

// Words that are no subtitles.
TEST_F(MatroskaLabels, TheKindOfWebvttIsKeptOrNamed) {
    write("w.vtt", "WEBVTT\n\n00:00.500 --> 00:01.000\nwords\n");
    ffmpeg("-f lavfi -i testsrc2=s=64x64:d=1 -i w.vtt -c:v libvpx -c:s webvtt known.webm");
    std::string bytes = content("known.webm");
    const std::string known = "D_WEBVTT/SUBTITLES";
    bytes.replace(bytes.find(known), known.size(), "D_WEBVTT/METADATA" + std::string(1, '\0'));
    write("in.webm", bytes);
    for (const std::string out : {"out.webm", "out.mkv", "out.mp4"}) {
        EXPECT_EQ(
            filter("in.webm " + out).at("stderr").dump().find("leaves out: metadata of stream 1") == std::string::npos,
            out == "out.webm")
            << out;
    }
}

// Notes are kept so in ASS.
TEST_F(MatroskaLabels, LinesOfNoTimeAreNotShown) {
    write("in.ass",
          "[Script Info]\nScriptType: v4.00+\n\n[Events]\n"
          "Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text\n"
          "Dialogue: 0,0:00:00.50,0:00:00.50,Default,,0,0,0,,a note\n"
          "Dialogue: 0,0:00:01.00,0:00:01.50,Default,,0,0,0,,seen\n");
    ffmpeg("-f lavfi -i testsrc2=s=64x64:d=2 -i in.ass -c:v libx264 -c:s ass in.mkv");
    for (const std::string out : {"out.mp4", "out.webm"}) {
        filter("in.mkv " + out);
        const std::string words = run("ffmpeg -v error -i " + out + " -f srt -").out;
        EXPECT_EQ(words.find("note"), std::string::npos) << words;
        EXPECT_NE(words.find("seen"), std::string::npos) << words;
    }
}

// Some muxers write them where they do not know it.
TEST_F(MatroskaLabels, DurationsThatAreNoNumbersTellNothing) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:d=0.2 -f lavfi -i sine=d=0.2 -c:v libx264 -c:a aac -write_crc32 0 in.mkv");
    const std::string whole = content("in.mkv");
    const std::size_t place = whole.rfind("00:00:00.2");
    ASSERT_NE(place, std::string::npos);
    for (const std::string number : {"inf", "nan"}) {
        std::string bytes = whole;
        write("in.mkv", bytes.replace(place, 18, "00:00:" + number + std::string(9, '\0')));
        const Result result = vfilter("in.mkv out.mkv -y --identity");
        EXPECT_EQ(result.code, 0) << result;
    }
}

// The size of what lies in an element, and where, behind its ID.
std::pair<std::size_t, std::size_t> payload_behind(const std::string& bytes, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes.at(at + i)); };
    std::size_t length = 1;
    while (length < 8 && ((byte(0) << (length - 1)) & 0x80) == 0) {
        ++length;
    }
    std::size_t size = byte(0) & (0xffU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        size = size << 8U | byte(i);
    }
    return {size, at + length};
}

// A checksum may begin a master element, which would be wrong for another content.
std::size_t behind_checksum(const std::string& bytes, std::size_t at) {
    constexpr std::size_t size = 6;
    return bytes.at(at) == '\xbf' ? at + size : at;
}

// Of a recording in several files.
TEST_F(MatroskaLabels, LinksToOtherFilesAreTold) {
    make("in.mkv", "");
    std::string bytes = content("in.mkv");
    const std::string info_id = "\x15\x49\xa9\x66";
    const std::size_t info = bytes.find(info_id);
    ASSERT_NE(info, std::string::npos);
    const auto [size, data] = payload_behind(bytes, info + 4);
    const std::size_t begin = behind_checksum(bytes, data);
    const std::string links = element("\x3c\xb9\x23", std::string(16, 'u')) + element("\x3c\x83\xab", "part1.mkv");
    bytes.replace(info, data + size - info, element(info_id, bytes.substr(begin, data + size - begin) + links));
    write("in.mkv", bytes);
    EXPECT_EQ(unread("in.mkv out.mkv --box 3"), (Lost{{"links to other segments (part1.mkv)"}, 1}));
    EXPECT_EQ(unread("in.mkv out.mkv --box 3 --strip metadata"), (Lost{}));
}

// HDR10+ of VP9: beside its one block, which becomes a group.
TEST_F(MatroskaLabels, DataBesideBlocksAreTold) {
    ASSERT_EQ(
        run("ffmpeg -v error -f lavfi -i testsrc2=s=64x64:r=25:d=0.04 -c:v libvpx-vp9 -f matroska - | cat > in.mkv")
            .code,
        0);
    const auto told = [&](const std::string& name) {
        return filter(name + " out.mkv --box 3")
                   .at("stderr")
                   .dump()
                   .find("HDR10+ data, which each scene has of its own, is left out") != std::string::npos;
    };
    EXPECT_FALSE(told("in.mkv"));
    const std::string bytes = content("in.mkv");
    const std::size_t cluster = bytes.find(cluster_id);
    const std::size_t in_cluster = behind_checksum(bytes, payload_behind(bytes, cluster + 4).second);
    const std::size_t block = bytes.find('\xa3', in_cluster);
    ASSERT_NE(block, std::string::npos);
    const auto [size, data] = payload_behind(bytes, block + 1);
    std::string payload = bytes.substr(data, size);
    payload.at(3) = '\0';
    const std::string message = "\xb5\x00\x3c\x00\x01\x04\x01"s + std::string(20, '\0');
    const std::string addition = element("\xa6", number("\xee", 4) + element("\xa5", message));
    const std::string group = element("\xa0", element("\xa1", payload) + element("\x75\xa1", addition));
    write("beside.mkv",
          bytes.substr(0, cluster) + element(cluster_id, bytes.substr(in_cluster, block - in_cluster) + group));
    EXPECT_TRUE(told("beside.mkv"));
}

}  // namespace

}  // namespace vfilter::test
