// Every pixel format of FFmpeg: what comes out of a run that changes nothing, and the table of it in docs/formats.md.

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>

#include "io/compat.h"
#include "io/formats/formats.h"
#include "tests/formats/picture_samples.h"
#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

// A filter that changes no sample.
const std::string identity = "--identity";

// Odd, so that subsampled chroma has a half pixel left over.
constexpr int width = 33;
constexpr int height = 17;
constexpr int pictures = 3;

// Files in which FFmpeg keeps a format as it is, the first that holds it.
struct Carrier {
    const char* encoder;
    const char* extension;
    const char* options;
};
constexpr Carrier carriers[] = {
    {"rawvideo", "nut", ""},
    {"ffv1", "mkv", ""},
    {"png", "mkv", ""},
    {"pfm", "pfm", "-frames:v 1 -update 1"},
    {"exr", "exr", "-frames:v 1 -update 1 -compression none"},
};

bool carries(const Carrier& carrier, AVPixelFormat format) {
    if (std::string(carrier.encoder) == "rawvideo") {
        return avcodec_pix_fmt_to_codec_tag(format) != 0;
    }
    const AVCodec* const codec = avcodec_find_encoder_by_name(carrier.encoder);
    const AVPixelFormat* known = codec != nullptr ? encoder_pixel_formats(*codec) : nullptr;
    while (known != nullptr && *known != AV_PIX_FMT_NONE && *known != format) {
        ++known;
    }
    return known != nullptr && *known == format;
}

struct Video {
    AVPixelFormat format = AV_PIX_FMT_NONE;
    bool full_range = false;
};

struct Row {
    AVPixelFormat format = AV_PIX_FMT_NONE;
    std::string name;
    std::string bits;
    const Carrier* carrier = nullptr;  // null if no file holds it
    std::string in;                    // the file's name
    Result result;
    Video written;
    std::string outcome;
};

// The lines of `ffmpeg -pix_fmts` for pictures in ordinary memory: flags, name, components, bits of a pixel, of a
// sample.
std::vector<Row> formats_of_ffmpeg(const std::string& listing) {
    std::vector<Row> rows;
    for (const std::string& line : lines_of(listing)) {
        std::istringstream words(line);
        std::string flags;
        std::string name;
        int components = 0;
        int bits_per_pixel = 0;
        std::string bits;
        if (words >> flags >> name >> components >> bits_per_pixel && flags.size() == 5 && components > 0) {
            words >> bits;
            rows.push_back({av_get_pix_fmt(name.c_str()), name, bits, nullptr, "", {}, {}, ""});
        }
    }
    return rows;
}

Video video_of(const std::string& file) {
    AVFormatContext* context = nullptr;
    Video video;
    if (avformat_open_input(&context, file.c_str(), nullptr, nullptr) >= 0) {
        if (avformat_find_stream_info(context, nullptr) >= 0 && context->nb_streams > 0) {
            const AVCodecParameters& codec = *context->streams[0]->codecpar;
            const auto format = static_cast<AVPixelFormat>(codec.format);
            video = {without_j(format), codec.color_range == AVCOL_RANGE_JPEG || without_j(format) != format};
        }
        avformat_close_input(&context);
    }
    return video;
}

// The same pictures there and back, for formats that only a decoder gives and no file holds.
std::string through_memory(const std::string& bytes, AVPixelFormat format) {
    const AVPixelFormat kept = kept_format(format);
    const auto picture = [](AVPixelFormat of) {
        FramePtr frame = make_frame();
        frame->format = of;
        frame->width = width;
        frame->height = height;
        av_check(av_frame_get_buffer(frame.get(), 0), "av_frame_get_buffer");
        return frame;
    };
    const FramePtr in = picture(format);
    std::uint8_t* data[4] = {};
    int linesize[4] = {};
    av_image_fill_arrays(data, linesize, reinterpret_cast<const std::uint8_t*>(bytes.data()), format, width, height, 1);
    av_image_copy(in->data, in->linesize, const_cast<const std::uint8_t**>(data), linesize, format, width, height);
    const FramePtr native = picture(nearest_native(format));
    const FramePtr out = picture(kept);
    Converter::to_native(width, height, format).convert(*in, *native);
    Converter::from_native(width, height, kept, kept).convert(*native, *out);
    std::string result(bytes.size(), '\0');
    av_image_copy_to_buffer(reinterpret_cast<std::uint8_t*>(result.data()), static_cast<int>(result.size()), out->data,
                            out->linesize, kept, width, height, 1);
    return result;
}

class Formats : public EndToEnd {
protected:
    // One program for many files.
    void make_inputs(std::vector<Row>& rows) const;
    void filter_all(std::vector<Row>& rows, const std::string& encoder, const std::string& suffix) const;
    // Decodes inputs and outputs into NAME.in and NAMESUFFIX.out.
    void decode_all(const std::vector<Row>& rows, const std::string& suffix) const;
    [[nodiscard]] std::string outcome_of(const Row& row, const std::string& suffix) const;
};

void Formats::make_inputs(std::vector<Row>& rows) const {
    for (const Carrier& carrier : carriers) {
        std::string inputs;
        std::string outputs;
        int count = 0;
        for (Row& row : rows) {
            const AVPixelFormat plain = without_j(row.format);
            // Only Matroska says that the range is full.
            const bool full = plain != row.format;
            if (row.carrier != nullptr || !carries(carrier, plain) ||
                (full && carrier.extension != std::string("mkv"))) {
                continue;
            }
            row.carrier = &carrier;
            row.in = fmt::format("{}.{}", row.name, carrier.extension);
            write(row.name + ".raw", random_pictures(plain, width, height, pictures));
            inputs += fmt::format(" -f rawvideo -pixel_format {} -video_size {}x{} -framerate 25 -i {}.raw",
                                  name_of(plain), width, height, row.name);
            outputs += fmt::format(" -map {} -c:v {} {} {} {}", count++, carrier.encoder, carrier.options,
                                   full ? "-color_range pc" : "", row.in);
        }
        if (count > 0) {
            ffmpeg(inputs + outputs);
        }
        for (Row& row : rows) {
            if (row.carrier == &carrier && video_of(path(row.in).string()).format != without_j(row.format)) {
                row.carrier = nullptr;  // PFM is read in one order of bytes
            }
        }
    }
}

void Formats::filter_all(std::vector<Row>& rows, const std::string& encoder, const std::string& suffix) const {
    for (Row& row : rows) {
        if (row.carrier != nullptr) {
            const std::string out = row.name + suffix + ".mkv";
            row.result = vfilter(fmt::format("{} {} -y --device cpu --codec {} {}", row.in, out, encoder, identity));
            row.written = row.result.code == 0 ? video_of(path(out).string()) : Video{};
        }
    }
}

void Formats::decode_all(const std::vector<Row>& rows, const std::string& suffix) const {
    std::string inputs;
    std::string outputs;
    int count = 0;
    for (const Row& row : rows) {
        if (row.written.format == AV_PIX_FMT_NONE) {
            continue;
        }
        inputs += fmt::format(" -i {} -i {}{}.mkv", row.in, row.name, suffix);
        for (const std::string& name : {row.name + ".in", row.name + suffix + ".out"}) {
            outputs += fmt::format(" -map {}:V:0 -fps_mode passthrough -f rawvideo {}", count++, name);
        }
    }
    ffmpeg(inputs + outputs);
}

// What happened to the samples, in the table's words; "CHANGED" where it was not said.
std::string Formats::outcome_of(const Row& row, const std::string& suffix) const {
    const std::string as = name_of(nearest_native(row.format));
    const std::string filtered = as == row.name || without_j(row.format) != row.format ? "" : ", filtered as " + as;
    if (row.carrier == nullptr) {
        if (as == "unknown") {
            return "refused: " + why_not_native(row.format);
        }
        const std::string bytes = random_pictures(row.format, width, height, 1);
        const std::string back = kept_format(row.format) == row.format ? through_memory(bytes, row.format) : "";
        return back == bytes ? "the same bytes" + filtered + " (*)"
               : !back.empty() && holds_samples(back, row.format, bytes, row.format, width, height)
                   ? "the same samples" + filtered + " (*)"
                   : "CHANGED";
    }
    const std::string said = row.result.err;
    if (row.result.code == 3) {
        const std::string refusal = fmt::format("pictures of format {} cannot be filtered: ", row.name);
        const std::size_t at = said.find(refusal);
        return at == std::string::npos ? "CHANGED" : "refused: " + lines_of(said.substr(at + refusal.size())).front();
    }
    if (row.result.code != 0) {
        return "FAILED";
    }
    const AVPixelFormat plain = without_j(row.format);
    const std::string in = content(row.name + ".in");
    const std::string out = content(row.name + suffix + ".out");
    if (row.written.format == plain) {
        const bool same_range = row.written.full_range == (plain != row.format);
        if (!same_range || !holds_samples(out, plain, in, plain, width, height)) {
            return "CHANGED";
        }
        return (in == out ? "the same bytes" : "the same samples") +
               (plain == row.format ? filtered : fmt::format(", {} tagged full range", name_of(plain)));
    }
    // Another format: the last line that tells of a conversion has to name it, and to be right about the loss.
    std::string loss;
    std::string from = row.name;
    for (const std::string& line : lines_of(said)) {
        const std::string begin = fmt::format("vfilter: pictures are converted from {} to ", from);
        const std::size_t comma = line.rfind(", with");
        if (line.starts_with(begin) && comma != std::string::npos) {
            const std::string to = line.substr(begin.size(), line.find(' ', begin.size()) - begin.size());
            loss = to == name_of(row.written.format) ? line.substr(comma + 2) : loss;
            from = line.find("to be filtered") != std::string::npos && kept_format(plain) == plain ? from : to;
        }
    }
    return loss.empty() || (loss == "without loss" && !holds_samples(out, row.written.format, in, plain, width, height))
               ? "CHANGED"
               : fmt::format("{}, {}", name_of(row.written.format), loss);
}

std::string ffmpeg_version(const std::string& text) {
    std::istringstream words(text);
    std::string word;
    while (words >> word && word != "version") {
    }
    words >> word;
    const std::size_t dot = word.find('.');
    return word.substr(0, word.find_first_not_of("0123456789", dot == std::string::npos ? 0 : dot + 1));
}

// The document up to its table, and the table.
std::pair<std::string, std::string> parts_of(const std::string& document) {
    const std::size_t at = std::min(document.find("| format |"), document.size());
    return {document.substr(0, at), document.substr(at)};
}

std::string table_of(const std::vector<Row>& rows, const std::map<std::string, std::vector<std::string>>& outcomes) {
    std::string table = "| format | bits | uncompressed | through ffv1 |\n|---|---|---|---|\n";
    for (const Row& row : rows) {
        const std::vector<std::string>& cells = outcomes.at(row.name);
        table += fmt::format("| {} | {} | {} | {} |\n", row.name, row.bits, cells[0], cells[1]);
    }
    return table;
}

// Its pictures do not say which of them lean on no other.
TEST_F(Formats, H261IsWholeFromItsFirstPicture) {
    ffmpeg("-f lavfi -i testsrc2=s=352x288:r=30000/1001:d=1 -c:v h261 in.h261");
    filter("in.h261 out.mkv --vf null --codec ffv1");
    EXPECT_TRUE(picture_hashes("in.h261") == picture_hashes("out.mkv"));
}

// Whose muxer wants to be told the profile.
TEST_F(Formats, ProresGoesIntoMxf) {
    make_clip("in.mp4", 10);
    for (const std::string profile : {"", " --encoder-option profile=proxy", " --pix-fmt yuv444p10le"}) {
        const Result result = vfilter("in.mp4 out.mxf -y --codec prores" + profile);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(count_pictures("out.mxf"), 10);
    }
}

// Colours and interlacing.
TEST_F(Formats, WhatIsNotSaidOfPicturesIsTold) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:r=25:d=0.4 -vf "
        "setparams=color_primaries=bt2020:color_trc=bt709:colorspace=bt2020nc -c:v libx264 -color_primaries bt2020 "
        "-color_trc bt709 -colorspace bt2020nc in.mkv");
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:r=50:d=0.4 -vf tinterlace=interleave_bottom,setfield=bff -c:v mpeg2video "
        "-flags +ildct+ilme -top 0 in.ts");
    const auto says = [&](const std::string& in, const std::string& out, const std::string& what) {
        return filter(fmt::format("{} {} -y --gaussian 3", in, out)).at("stderr").dump().find(what) !=
               std::string::npos;
    };
    for (const char* const out : {"out.avi", "out.nut", "out.ogv", "out.y4m", "out.mp4", "out.mkv"}) {
        const bool keeps = std::string(out) == "out.mp4" || std::string(out) == "out.mkv";
        EXPECT_EQ(says("in.mkv", out, "(bt2020/bt709/bt2020nc) is lost"), !keeps) << out;
    }
    for (const char* const out : {"out.webm", "out.ogv", "out.mp4", "out.avi", "out.ts"}) {
        const bool loses = std::string(out) == "out.webm" || std::string(out) == "out.ogv";
        EXPECT_EQ(says("in.ts", out, "that the pictures are interlaced is lost"), loses) << out;
    }
}

// VFILTER_WRITE_DOCS=1 writes the table into docs/formats.md.
TEST_F(Formats, NothingIsChangedUnsaid) {
    std::vector<Row> rows = formats_of_ffmpeg(ffmpeg_output("-hide_banner -pix_fmts"));
    ASSERT_GT(rows.size(), 150U);
    make_inputs(rows);
    std::map<std::string, std::vector<std::string>> outcomes;
    for (const auto& [encoder, suffix] : {std::pair<std::string, std::string>{"rawvideo", ".raw"}, {"ffv1", ".ffv1"}}) {
        filter_all(rows, encoder, suffix);
        decode_all(rows, suffix);
        for (const Row& row : rows) {
            outcomes[row.name].push_back(outcome_of(row, suffix));
            for (const char* const wrong : {"CHANGED", "FAILED"}) {
                EXPECT_NE(outcomes[row.name].back(), wrong) << row.name << " -> " << name_of(row.written.format) << '\n'
                                                            << row.result;
            }
        }
    }

    const std::string file = VFILTER_SOURCE "/docs/formats.md";
    std::ifstream stream(file);
    const auto [text, table] = parts_of({std::istreambuf_iterator<char>(stream), {}});
    const char* const write_docs = std::getenv("VFILTER_WRITE_DOCS");
    if (write_docs != nullptr && write_docs == std::string("1")) {
        std::ofstream(file) << text << table_of(rows, outcomes);
    } else if (text.find("(FFmpeg " + ffmpeg_version(ffmpeg_output("-version")) + ")") != std::string::npos) {
        EXPECT_EQ(lines_of(table), lines_of(table_of(rows, outcomes))) << "VFILTER_WRITE_DOCS=1 writes it anew";
    }
}

}  // namespace

}  // namespace vfilter::test
