// Messages that say what to do: each is provoked, and what it says is done, which helps.

#include "tests/support/end_to_end.h"
#include "tests/support/http_server.h"

namespace vfilter::test {

namespace {

struct Advice {
    std::string name;
    std::string wrong;  // arguments
    int code;
    std::string told;   // in the message
    std::string right;  // arguments, by what was told
    std::string prepare = {};
};

std::ostream& operator<<(std::ostream& stream, const Advice& advice) {
    return stream << advice.name;
}

class Advised : public EndToEnd, public testing::WithParamInterface<Advice> {};

TEST_P(Advised, ByAMessageThatHelps) {
    const Advice& advice = GetParam();
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v libx264 -preset ultrafast -pix_fmt yuv420p in.mkv");
    if (!advice.prepare.empty()) {
        const Result prepared = run(advice.prepare);
        ASSERT_EQ(prepared.code, 0) << prepared;
    }
    const Result wrong = vfilter(advice.wrong);
    EXPECT_EQ(wrong.code, advice.code) << wrong;
    EXPECT_NE(wrong.err.find(advice.told), std::string::npos) << wrong;
    const Result right = vfilter(advice.right);
    EXPECT_EQ(right.code, 0) << right;
    EXPECT_EQ(right.err.find(advice.told), std::string::npos) << "still: " << right;
}

const Advice advices[] = {
    {"RawPictures", "in.yuv out.mkv", 3, "--input-format rawvideo --input-option video_size=WIDTHxHEIGHT",
     "in.yuv out.mkv --input-format rawvideo --input-option video_size=64x48",
     "ffmpeg -nostdin -v error -i in.mkv -f rawvideo in.yuv"},
    {"RawPicturesWithoutSize", "in.bytes out.mkv --input-format rawvideo", 3, "--input-option pixel_format=NAME",
     "in.bytes out.mkv --input-format rawvideo --input-option video_size=64x48 --input-option pixel_format=yuv444p",
     "ffmpeg -nostdin -v error -i in.mkv -pix_fmt yuv444p -f rawvideo in.bytes"},
    {"RawPicturesOfTheEndingRaw", "in.raw out.mkv", 3, "--input-format rawvideo --input-option video_size=WIDTHxHEIGHT",
     "in.raw out.mkv --input-format rawvideo --input-option video_size=64x48",
     "ffmpeg -nostdin -v error -i in.mkv -f rawvideo in.raw"},
    {"RawPicturesOfAnotherEnding", "in.bin out.mkv", 3, "of raw pictures --input-format and --input-option say",
     "in.bin out.mkv --input-format rawvideo --input-option video_size=64x48",
     "ffmpeg -nostdin -v error -i in.mkv -f rawvideo in.bin"},
    {"EdgesByAMatrix", "in.mkv out.mkv --kernel \"-1 -1 -1; -1 8 -1; -1 -1 -1\"", 0, "chroma=neutral makes grey",
     "in.mkv out.mkv -y --kernel \"-1 -1 -1; -1 8 -1; -1 -1 -1:chroma=neutral\""},
    {"MatrixThatDarkens", "in.mkv out.mkv --kernel \"0 0 0; 0 1 0; 0 0 0:bias=-20\"", 0, "chroma=off leaves",
     "in.mkv out.mkv -y --kernel \"0 0 0; 0 1 0; 0 0 0:bias=-20:chroma=off\""},
    {"ManyInputs", "in.mkv second.mkv out.mkv", 2, "--output-dir FOLDER takes many inputs",
     "in.mkv second.mkv --output-dir done", "cp in.mkv second.mkv"},
    {"ColourOfAShell", "in.mkv out.mkv --fill #204080", 2, "'#20c040', in quotes", "in.mkv out.mkv --fill '#204080'"},
    {"FormatOfWords", "in.mkv out.srt", 8, "another ending, or --format", "in.mkv out.srt --format matroska"},
    {"QualityOfProRes", "in.mkv out.mov --codec prores --crf 5", 2, "ffmpeg -h encoder=prores_ks",
     "in.mkv out.mov --codec prores --encoder-option profile=hq"},
    {"QualityOfHuffyuv", "in.mkv out.mkv --codec huffyuv --crf 5", 2, "--crf: the encoder huffyuv has no",
     "in.mkv out.mkv --codec huffyuv"},
    {"UnknownOptionOfAnEncoder", "in.mkv out.mkv --encoder-option crff=20", 2, "ffmpeg -h encoder=libx264 lists them",
     "in.mkv out.mkv --encoder-option crf=20"},
    {"PixelFormat", "in.mkv out.mkv --pix-fmt rgb24", 8, "it takes yuv420p, ", "in.mkv out.mkv --pix-fmt yuv420p"},
    {"Tag", "in.mkv out.mp4 --video-tag abcd", 4, "--video-tag abcd: ", "in.mkv out.mp4 --video-tag avc1"},
    {"PartBehindTheEnd", "in.mkv out.mkv --start 1:30", 3, "the input is 0.4 s long", "in.mkv out.mkv --start 0.3"},
    {"SoundOfOthers", "in.mov out.flv --audio pcm24", 4, "--audio auto takes", "in.mov out.flv --audio auto",
     "ffmpeg -nostdin -v error -i in.mkv -f lavfi -i sine=d=0.4 -c:v copy -c:a pcm_s24le in.mov"},
    {"RegionInAFile", "in.mkv out.mkv --box 3 --config c.toml", 2, "'region' is an argument of each [[filter]]",
     "in.mkv out.mkv --config right.toml",
     "echo \"region = '0,0,9,9'\" > c.toml; printf '[[filter]]\\nname = \"box\"\\nsize = 3\\nregion = \"0,0,9,9\"\\n' "
     "> "
     "right.toml"},
    {"FilterInAFile", "in.mkv out.mkv --config c.toml", 2, "[[filter]] with name = \"gaussian\"",
     "in.mkv out.mkv --config right.toml",
     "echo 'gaussian = 5' > c.toml; printf '[[filter]]\\nname = \"gaussian\"\\nsize = 5\\n' > right.toml"},
    {"QuietInAFile", "in.mkv out.mkv --config c.toml", 2, "log-level = \"error\" and progress = \"none\"",
     "in.mkv out.mkv --config right.toml",
     "echo 'quiet = true' > c.toml; printf 'log-level = \"error\"\\nprogress = \"none\"\\n' > right.toml"},
    {"OverwriteInAFile", "in.mkv out.mkv --config c.toml", 2, "'overwrite' stands on the command line alone",
     "in.mkv out.mkv --overwrite", "echo 'overwrite = true' > c.toml; : > out.mkv"},
    {"ConfigThatIsNot", "in.mkv out.mkv --config missing.toml", 2, "cannot be read: No such file",
     "in.mkv out.mkv --config missing/c.toml", "mkdir missing; : > missing/c.toml"},
    {"RowOfAMatrix", "in.mkv out.mkv --kernel '1 2 1 2 4 2 1 2 1'", 2, "1 2 1; 2 4 2; 1 2 1",
     "in.mkv out.mkv --kernel '1 2 1; 2 4 2; 1 2 1'"},
    {"OnePicture", "in.mkv out.png", 2, "out_%04d.png names each", "in.mkv out_%04d.png"},
    {"GraphThatReads", "in.mkv out.mkv --vf 'movie=in.mkv[a];[in][a]hstack'", 2, "--allow-files and --allow-network",
     "in.mkv out.mkv --vf 'movie=in.mkv[a];[in][a]hstack' --allow-files --allow-network"},
    {"LogLevel", "in.mkv out.mkv --log-level nonsense", 2, "none of debug, info", "in.mkv out.mkv --log-level info"},
    {"ExistingOutput", "in.mkv out.mkv", 4, "-y replaces it", "in.mkv out.mkv -y", ": > out.mkv"},
    {"FloatingPoint", "in.exr out.png", 3, "--vf format=gbrp16 before", "in.exr out.png --vf format=gbrp16 --box 3",
     "ffmpeg -nostdin -v error -i in.mkv -frames:v 1 -pix_fmt gbrpf32le in.exr"},
    {"RateOfAFile", "-r 50 -i in.mkv out.mkv", 2, "--vf setpts=N/50/TB", "in.mkv out.mkv --vf setpts=N/50/TB"},
    {"FractionOfAFile", "in.mkv out.mkv --framerate 23.976", 2, "--vf setpts=N/(24000/1001)/TB",
     "in.mkv out.mkv --vf 'setpts=N/(24000/1001)/TB'"},
    {"QualityOfVp8", "in.mkv out.webm --codec vp8 --crf 2", 2, "--crf: for libvpx it goes from 4, the best, to 63",
     "in.mkv out.webm --codec vp8 --crf 4"},
    {"LimitsOfVp8", "in.mkv out.webm --codec vp8 --crf 64 --encoder-option qmin=0", 2, "from 0, the best, to 63",
     "in.mkv out.webm --codec vp8 --crf 0 --encoder-option qmin=0"},
    {"QualityOfVp9", "in.mkv out.webm --crf 64", 2, "--crf: for libvpx-vp9 it goes from 0, the best, to 63",
     "in.mkv out.webm --crf 63"},
    {"Logo", "-i in.mkv -i logo.png -filter_complex overlay out.mkv", 2,
     "--vf \"movie=logo.png[l];[in][l]overlay=8:8\" --allow-files --allow-network",
     "in.mkv out.mkv --vf 'movie=logo.png[l];[in][l]overlay=8:8' --allow-files --allow-network",
     "ffmpeg -nostdin -v error -i in.mkv -vf scale=16:16 -frames:v 1 logo.png"},
    {"TwoGraphs", "-i in.mov -filter_complex '[0:v]setpts=PTS/2[v];[0:a]atempo=2[a]' out.mkv", 2,
     "--vf setpts=PTS/2 --af atempo=2", "in.mov out.mkv --vf setpts=PTS/2 --af atempo=2",
     "ffmpeg -nostdin -v error -i in.mkv -f lavfi -i sine=d=0.4 -c:v copy -c:a pcm_s16le in.mov"},
    {"BurntWords", "in.mkv out.mkv --burn w.srt", 2, "--vf subtitles=FILE --allow-files --allow-network",
     "in.mkv out.mkv --vf subtitles=w.srt --allow-files --allow-network",
     "printf '1\\n00:00:00,100 --> 00:00:00,300\\nHello\\n' > w.srt"},
    {"Lut", "in.mkv out.mkv --lut x.cube", 2, "--vf lut3d=FILE.cube --allow-files",
     "in.mkv out.mkv --vf lut3d=x.cube --allow-files",
     "printf 'LUT_3D_SIZE 2\\n0 0 0\\n1 0 0\\n0 1 0\\n1 1 0\\n0 0 1\\n1 0 1\\n0 1 1\\n1 1 1\\n' > x.cube"},
    {"FirstNumber", "-start_number 5 -i t_%d.png out.mkv", 2, "--start Kf leaves out the first K: N less",
     "t_%d.png out.mkv --start 2f", "ffmpeg -nostdin -v error -i in.mkv -start_number 3 t_%d.png"},
    {"OptionOfX264", "in.mkv out.mkv --encoder-option bframes=2", 2, "it is --encoder-option bf=... here",
     "in.mkv out.mkv --encoder-option bf=2"},
    {"KeyFramesOfX264", "in.mkv out.mkv --encoder-option keyint=30", 2, "it is --encoder-option g=... here",
     "in.mkv out.mkv --encoder-option g=30"},
    {"ColonOfAText", "in.mkv out.mkv --vf drawtext=text=10:30", 2, R"(is '\:' in quotes: text='10\:30')",
     R"(in.mkv out.mkv --vf "drawtext=text='10\:30'")"},
    {"LettersOfXvid", "in.mkv out.avi --codec XVID", 8, "as a codec that is --codec mpeg4",
     "in.mkv out.avi --codec mpeg4"},
    {"LettersOfMp4", "in.mkv out.mp4 --codec mp4v", 8, "that is --codec mpeg4", "in.mkv out.mp4 --codec mpeg4"},
    {"LettersOfMjpeg", "in.mkv out.avi --codec mjpg", 8, "that is --codec mjpeg", "in.mkv out.avi --codec mjpeg"},
    {"LettersOfH264", "in.mkv out.mp4 --codec avc1", 8, "that is --codec h264", "in.mkv out.mp4 --codec h264"},
    {"LettersOfHevc", "in.mkv out.mp4 --codec hev1", 8, "that is --codec hevc", "in.mkv out.mp4 --codec hevc"},
    {"LettersOfDivx", "in.mkv out.avi --codec divx", 8, "that is --codec mpeg4", "in.mkv out.avi --codec mpeg4"},
    {"LettersOfH265InAvi", "in.mkv out.avi --codec H265", 8, "that is --codec h265", "in.mkv out.mkv --codec h265"},
    {"LanguageOfSound", "in.mov out.mkv --audio jpn", 2, "--streams all,audio:jpn",
     "in.mov out.mkv --streams all,audio:jpn",
     "ffmpeg -nostdin -v error -i in.mkv -f lavfi -i sine=d=0.4 -c:v copy -c:a pcm_s16le -metadata:s:a language=jpn "
     "in.mov"},
    {"OddSides", "in.mkv out.mkv --vf scale=33:-1", 8, "--vf scale=32:-2 makes even sides",
     "in.mkv out.mkv --vf scale=33:-1 --vf scale=32:-2"},
    {"OddSidesWhole", "in.mkv out.mkv --vf scale=33:-1", 8, "--pix-fmt yuv444p takes these",
     "in.mkv out.mkv --vf scale=33:-1 --pix-fmt yuv444p"},
    {"SizeOfH263", "in.mkv out.3gp --codec h263", 8, "Try H.263+. --codec h264 takes any size",
     "in.mkv out.3gp --codec h264"},
    {"OnePictureForLonger", "logo.png out.mp4 --duration 5", 0, "--vf loop=loop=-1:size=1,trim=duration=5 shows it",
     "logo.png out.mp4 -y --vf loop=loop=-1:size=1,trim=duration=5",
     "ffmpeg -nostdin -v error -i in.mkv -frames:v 1 logo.png"},
    {"WholeChroma", "logo.png out.mp4", 0, "--pix-fmt yuv420p halves", "logo.png out.mp4 -y --pix-fmt yuv420p",
     "ffmpeg -nostdin -v error -i in.mkv -frames:v 1 logo.png"},
    {"GrayOfRgb", "logo.png out.png --gray", 2, "--vf format=gray of RGB", "logo.png out.png --vf format=gray",
     "ffmpeg -nostdin -v error -i in.mkv -frames:v 1 logo.png"},
    {"NameWithoutAnEnding", "in.mkv out", 2, "give --format", "in.mkv out --format matroska"},
};

class OtherAdvice : public EndToEnd {};

// By the graph that stands in the message for --tonemap.
TEST_F(OtherAdvice, OfTonemapMakesBt709OfIt) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -vf "
        "format=yuv420p10le,setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc:range=tv -c:v "
        "ffv1 "
        "hdr.mkv");
    const Result told = vfilter("hdr.mkv out.mkv --tonemap");
    ASSERT_EQ(told.code, 2) << told;
    const std::size_t begin = told.err.find("--vf ");
    ASSERT_NE(begin, std::string::npos) << told;
    const Result result = vfilter("hdr.mkv out.mkv " + told.err.substr(begin, told.err.find(": SDR") - begin));
    ASSERT_EQ(result.code, 0) << result;
    const nlohmann::json facts = probe("out.mkv").video().facts;
    for (const char* const tag : {"color_primaries", "color_transfer", "color_space"}) {
        EXPECT_EQ(facts.value(tag, ""), "bt709") << tag;
    }
}

TEST_F(OtherAdvice, OfLosslessKeepsEveryBit) {
    for (const std::string format : {"yuv420p", "yuv420p10le", "yuv444p10le"}) {
        ffmpeg("-y -f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -vf hue=h=33 -pix_fmt " + format + " -c:v ffv1 in.mkv");
        for (const std::string codec : {"ffv1", "x264 --encoder-option qp=0"}) {
            ASSERT_EQ(vfilter("in.mkv out.mkv -y --codec " + codec).code, 0);
            EXPECT_EQ(picture_hashes("out.mkv"), picture_hashes("in.mkv")) << format << ": " << codec;
        }
    }
}

TEST_F(OtherAdvice, OfWordsBehindAStartShowsThemInTime) {
    ffmpeg("-f lavfi -i testsrc2=s=160x120:r=25:d=1.2 -c:v ffv1 film.mkv");
    write("w.srt", "1\n00:00:00,600 --> 00:00:00,800\nHello\n");
    ffmpeg("-i film.mkv -vf subtitles=w.srt -ss 0.5 -c:v ffv1 wanted.mkv");
    const std::string run = " --codec ffv1 --start 0.5 --allow-files --allow-network --vf ";
    const Result late = vfilter("film.mkv late.mkv" + run + "subtitles=w.srt");
    ASSERT_EQ(late.code, 0) << late;
    EXPECT_NE(late.err.find("0.5 s late: setpts=PTS+0.5/TB before and setpts=PTS-0.5/TB behind it"), std::string::npos)
        << late;
    EXPECT_NE(picture_hashes("late.mkv"), picture_hashes("wanted.mkv"));
    const Result right = vfilter("film.mkv out.mkv" + run + "setpts=PTS+0.5/TB,subtitles=w.srt,setpts=PTS-0.5/TB");
    ASSERT_EQ(right.code, 0) << right;
    EXPECT_EQ(right.err.find(" late: "), std::string::npos) << right;
    EXPECT_EQ(picture_hashes("out.mkv"), picture_hashes("wanted.mkv"));
}

TEST_F(OtherAdvice, OfAServerThatGivesNoPartsIsToDownload) {
    // More than FFmpeg keeps in mind of what it has read.
    ffmpeg("-f lavfi -i testsrc2=s=640x480:r=25:d=2 -c:v mpeg4 -q:v 1 in.mp4");
    const HttpServer server(folder());
    const Result result = vfilter(server.url("in.mp4") + " out.mkv --allow-network");
    EXPECT_EQ(result.code, 3) << result;
    EXPECT_NE(result.err.find("cannot be read from a server that gives no parts of a file: download it first"),
              std::string::npos)
        << result;
    EXPECT_EQ(vfilter("in.mp4 out.mkv -y").code, 0);
}

// The size of which stands in the file.
TEST_F(OtherAdvice, OfRawPicturesIsForThoseWithoutAContainer) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.1 -pix_fmt yuv420p -c:v rawvideo in.mkv");
    std::string bytes = content("in.mkv");
    const std::size_t at = bytes.find("I420");
    ASSERT_NE(at, std::string::npos);
    write("in.mkv", bytes.replace(at, 4, "ABCD"));
    const Result result = vfilter("in.mkv out.mkv --box 3");
    EXPECT_EQ(result.code, 3) << result;
    EXPECT_NE(result.err.find("the name 'ABCD'"), std::string::npos) << result;
    EXPECT_EQ(result.err.find("--input-option"), std::string::npos) << result;
}

// What is advised for everyday's words is typed, each line of it, and loses no stream: the program has the list.
class EverydayLines : public EndToEnd, public testing::WithParamInterface<int> {
protected:
    static constexpr int parts = 4;

    void make_files() const {
        write("a.srt", "1\n00:00:00,100 --> 00:00:00,900\nHello\n");
        write("chapters.txt",
              ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/10\nSTART=0\nEND=5\n[CHAPTER]\nTIMEBASE=1/10\nSTART=5\nEND=10\n");
        write("font.ttf", "no font");
        write("x.cube", "LUT_3D_SIZE 2\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n");
        ffmpeg(
            "-f lavfi -i testsrc2=s=64x48:r=10:d=1 -f lavfi -i sine=d=1 -f lavfi -i sine=f=880:d=1 -i a.srt -i a.srt "
            "-i "
            "chapters.txt -map 0 -map 1 -map 2 -map 3 -map 4 -map_chapters 5 -c:v libx264 -pix_fmt yuv420p -c:a aac "
            "-metadata:s:a:0 language=eng -metadata:s:a:1 language=jpn -metadata:s:s:0 language=eng -metadata:s:s:1 "
            "language=ger -attach font.ttf -metadata:s:t mimetype=font/ttf in.mkv");
        ffmpeg("-i in.mkv -map 0:a:0 -c copy -metadata:s:a:0 language=fre b.mka");
        ffmpeg("-i in.mkv -map 0:v -map_chapters -1 -c copy other.mp4");
        ffmpeg("-i in.mkv -vf scale=16:16 -frames:v 1 logo.png");
        ffmpeg("-i in.mkv -frames:v 1 mask.png");
        ASSERT_EQ(run("mkdir -p clips/more; cp other.mp4 clips; cp other.mp4 clips/more/another.mp4").code, 0);
    }

    // With files and numbers in place of what stands for them.
    static std::string typed(std::string line) {
        constexpr std::pair<std::string_view, std::string_view> values[] = {
            {"W:H:X:Y", "32:24:8:8"},
            {"FILE.cube", "x.cube"},
            {"FILE.json", "r.json"},
            {"GRAPH", "null"},
            {"--af null", "--af anull"},
            {"--format NAME", "--format matroska"},
            {"NEW.mkv", "new.mkv"},
            {"X,Y,W,H", "0,0,32,24"},
            {"x264-params=KEY=VALUE", "x264-params=bframes=2"},
            {"KEY=VALUE", "g=50"},
            {"SECONDS=", "0.2="},
            {"RATE", "300k"},
            {"chapter:2 --end chapter:4", "chapter:1 --end chapter:2"},
            {"TIME --end TIME", "0.1 --end 0.8"},
            {"TIME", "0.8"},
            {"OUTPUT", "in.mkv"},
            {"INPUT", "in.mkv"},
            {"FOLDER", "clips"},
            {"--codec NAME", "--codec mpeg4"},
            {"--audio NAME", "--audio aac"},
            {"--preset NAME", "--preset veryfast"},
            {"title=NAME", "title=Film"},
            {"--append FILE", "--append in.mkv"},
            {"mask=FILE", "mask=mask.png"},
            {"subtitles=FILE", "subtitles=a.srt"},
            {"vfilter FILE", "vfilter in.mkv"},
            {"ffprobe FILE", "ffprobe in.mkv"},
            {"FILE", "b.mka"},
            {"in.mp4", "in.mkv"},
            {"--start 10", "--start 0.4"},
            {"ffmpeg ", "ffmpeg -nostdin -y -v error "},
        };
        for (const auto& [name, value] : values) {
            for (std::size_t at = line.find(name); at != std::string::npos; at = line.find(name, at + value.size())) {
                line.replace(at, name.size(), value);
            }
        }
        return line;
    }

    // "video audio:eng audio:jpn attachment, 2 chapters"
    [[nodiscard]] std::string streams_of(const std::string& name) const {
        const Media media = probe(name);
        std::vector<std::string> streams;
        for (const std::string type : {"video", "audio", "subtitle", "attachment"}) {
            for (const Stream& stream : media.of(type)) {
                const std::string language = stream.tag("language");
                streams.push_back(type + (language.empty() ? "" : ":" + language));
            }
        }
        return fmt::format("{}, {} chapters", fmt::join(streams, " "), media.chapters.size());
    }
};

TEST_P(EverydayLines, LoseNothing) {
    make_files();
    const std::map<std::string, std::string> others{
        {"mute", "video subtitle:eng subtitle:ger attachment, 2 chapters"},
        {"add-audio", "video audio:eng audio:jpn audio:fre subtitle:eng subtitle:ger attachment, 2 chapters"},
        {"audio-offset", "video audio:eng audio:jpn audio:fre subtitle:eng subtitle:ger attachment, 2 chapters"},
        {"replace-audio", "video audio:fre subtitle:eng subtitle:ger attachment, 2 chapters"},
        {"audio-lang-list", "video audio:eng subtitle:eng subtitle:ger attachment, 2 chapters"},
        {"subtitle-stream", "video audio:eng audio:jpn subtitle:eng attachment, 2 chapters"},
        {"subtitle-lang-list", "video audio:eng audio:jpn subtitle:eng attachment, 2 chapters"},
        {"concat", "video audio:eng audio:jpn subtitle:eng subtitle:ger attachment, 4 chapters"},
        {"no-metadata", "video audio audio subtitle subtitle attachment, 2 chapters"},
        {"no-subtitles", "video audio:eng audio:jpn attachment, 2 chapters"},
        {"repeat", "video audio:eng audio:jpn subtitle:eng subtitle:ger attachment, 4 chapters"},
        {"skip", "video audio:eng audio:jpn subtitle:eng subtitle:ger attachment, 1 chapters"},
        {"extract-audio", "audio:eng audio:jpn, 2 chapters"},
    };
    const std::string all = "video audio:eng audio:jpn subtitle:eng subtitle:ger attachment, 2 chapters";
    ASSERT_EQ(streams_of("in.mkv"), all);
    const std::vector<std::string> rows = lines_of(run(fmt::format("'{}' words", VFILTER_DOCS)).out);
    ASSERT_GT(rows.size(), 90U);
    // What needs a GPU, a clip of HDR, a peer, or larger pictures.
    const std::set<std::string> elsewhere{"gpu", "gpu-select", "avhw", "nvenc", "hdr", "rtsp", "rtmp", "av1"};
    for (std::size_t i = static_cast<std::size_t>(GetParam()); i < rows.size(); i += parts) {
        const std::string word = rows[i].substr(0, rows[i].find('\t'));
        const std::string line = rows[i].substr(rows[i].find('\t') + 1);
        if (line.empty() || elsewhere.contains(word)) {
            continue;
        }
        SCOPED_TRACE(fmt::format("{}: {}", word, line));
        const std::string dashes = word.size() == 1 ? "-" : "--";
        EXPECT_NE(vfilter(fmt::format("in.mkv out.mkv {}{}", dashes, word)).err.find(line), std::string::npos);
        const std::string whole = typed(line);
        const Result done = whole.starts_with("--") ? vfilter("in.mkv out.mkv -y " + whole)
                            : whole.starts_with("vfilter ")
                                ? run("rm -rf done; \"$VFILTER\" " + whole.substr(whole.find(' ')))
                                : run(whole);
        ASSERT_EQ(done.code, 0) << done;
        if (whole.starts_with("--") || word == "extract-audio") {
            const auto other = others.find(word);
            EXPECT_EQ(streams_of(word == "extract-audio" ? "sound.mka" : "out.mkv"),
                      other != others.end() ? other->second : all);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Words, EverydayLines, testing::Range(0, 4));

// That the sound is another's, and later, and that no picture is gone or there twice.
TEST_F(OtherAdvice, OfSoundsAndFieldsDoesWhatItSays) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=d=1 -vf interlace,setfield=tff -map 0 -map 1 -c:v ffv1 "
        "-c:a pcm_s16le in.mkv");
    const Result later =
        vfilter("in.mkv out.mkv --add 0.5=in.mkv --streams 'all,audio:@1,subtitles:@0?,attachments:@0?'");
    ASSERT_EQ(later.code, 0) << later;
    EXPECT_NEAR(probe("out.mkv").of("audio").at(0).times().at(0), 0.5, 0.03);
    const std::int64_t count = count_pictures("in.mkv");
    ASSERT_EQ(vfilter("in.mkv out.mkv -y --vf bwdif=mode=send_frame").code, 0);
    EXPECT_EQ(count_pictures("out.mkv"), count);
    ASSERT_EQ(vfilter("in.mkv out.mkv -y --vf bwdif").code, 0);
    EXPECT_EQ(count_pictures("out.mkv"), 2 * count);
}

INSTANTIATE_TEST_SUITE_P(Messages, Advised, testing::ValuesIn(advices),
                         [](const auto& advice) { return advice.param.name; });

}  // namespace

}  // namespace vfilter::test
