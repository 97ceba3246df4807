// What a user does wrong: the exit code of docs/cli, one clear line, and no file of the output's name.

#include <fmt/format.h>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

struct Mistake {
    std::string name;
    std::string arguments;
    int code;
    std::vector<std::string> told;  // on the one line
    std::string prepare = {};       // a line of bash, after in.mkv was made
};

std::ostream& operator<<(std::ostream& stream, const Mistake& mistake) {
    return stream << mistake.name;
}

class Mistakes : public EndToEnd, public testing::WithParamInterface<Mistake> {
protected:
    void expect_mistake() const;
};

void Mistakes::expect_mistake() const {
    const Mistake& mistake = GetParam();
    const Result prepared = run(mistake.prepare.empty() ? ":" : mistake.prepare);
    ASSERT_EQ(prepared.code, 0) << prepared;
    const std::vector<std::string> before = names();
    const std::string input = content("in.mkv");

    const Result result = vfilter(mistake.arguments);
    EXPECT_EQ(result.code, mistake.code) << result;
    EXPECT_EQ(result.out, "") << result;
    EXPECT_EQ(complaints(result).size(), 1U) << result;
    EXPECT_TRUE(result.err.starts_with("vfilter: ")) << result;
    for (const std::string& words : mistake.told) {
        EXPECT_TRUE(result.err.find(words) != std::string::npos) << "'" << words << "' is not in:\n" << result;
    }
    EXPECT_EQ(before, names());
    EXPECT_TRUE(input == content("in.mkv"));
}

TEST_P(Mistakes, AreToldInOneLineAndLeaveNoFile) {
    ffmpeg("-f lavfi -i testsrc2=s=160x120:r=25:d=0.4 -c:v libx264 -preset ultrafast in.mkv");
    expect_mistake();
}

// With these the input, which is no video, is not even opened: that would be 3.
class Usage : public Mistakes {};

TEST_P(Usage, IsCheckedBeforeAnythingIsOpened) {
    write("in.mkv", "no video");
    expect_mistake();
}

const Mistake inputs[] = {
    {"Missing", "missing.mkv out.mkv", 3, {"missing.mkv", "No such file"}},
    {"Folder", ". out.mkv", 3, {"folder"}},
    {"Text", "notes.txt out.mkv", 3, {"notes.txt"}, "yes 'some words' | head -500 > notes.txt"},
    {"Empty", "empty.mkv out.mkv", 3, {"empty.mkv", "is empty"}, ": > empty.mkv"},
    {"Rubbish", "rubbish.mp4 out.mkv", 3, {"rubbish.mp4"}, "head -c 50000 \"$VFILTER\" > rubbish.mp4"},
    {"AudioOnly", "sound.m4a out.mkv", 3, {"sound.m4a", "no video"}, "ffmpeg -v error -f lavfi -i sine=d=1 sound.m4a"},
    {"CoverOnly",
     "song.mkv out.mkv",
     3,
     {"song.mkv", "no video"},
     "ffmpeg -v error -f lavfi -i color=s=64x64 -frames:v 1 cover.jpg && ffmpeg -v error -f lavfi -i sine=d=1 -attach "
     "cover.jpg "
     "-metadata:s:t mimetype=image/jpeg -metadata:s:t filename=cover.jpg song.mkv"},
    {"NoPicture",
     "hollow.mkv out.mkv",
     3,
     {"hollow.mkv"},
     "head -c $(LC_ALL=C grep -obUaP '\\x1f\\x43\\xb6\\x75' in.mkv | head -n 1 | cut -d: -f1) in.mkv > hollow.mkv"},
    {"NoSize",
     "sizeless.y4m out.mkv",
     3,
     {"sizeless.y4m", "size of the pictures"},
     "printf 'YUV4MPEG2 W0 H48 F25:1 C420jpeg\\nFRAME\\n' > sizeless.y4m"},
    {"HugePicture",
     "huge.y4m out.mkv",
     3,
     {},
     "printf 'YUV4MPEG2 W65535 H65535 F25:1 C420jpeg\\nFRAME\\nxxxx' > huge.y4m"},
    {"Playlist",
     "list.m3u8 out.mkv",
     3,
     {"list.m3u8"},
     "ffmpeg -v error -i in.mkv -c copy in.ts && printf "
     "'#EXTM3U\\n#EXT-X-TARGETDURATION:1\\n#EXTINF:1,\\nin.ts\\n#EXT-X-ENDLIST\\n' > list.m3u8"},
    {"PlaylistInDisguise",
     "list.mkv out.mkv",
     3,
     {"list.mkv"},
     "ffmpeg -v error -i in.mkv -c copy in.ts && printf "
     "'#EXTM3U\\n#EXT-X-TARGETDURATION:1\\n#EXTINF:1,\\nin.ts\\n#EXT-X-ENDLIST\\n' > list.mkv"},
    {"ConcatScript",
     "list.ffconcat out.mkv",
     3,
     {"list.ffconcat"},
     "printf \"ffconcat version 1.0\\nfile 'in.mkv'\\n\" > list.ffconcat"},
    {"Url", "http://127.0.0.1:9/in.mkv out.mkv", 2, {"http://127.0.0.1:9/in.mkv", "--allow-network"}},
    {"NoCamera", "/dev/video99 out.mkv", 3, {"/dev/video99", "No such file"}},
    {"NoDisplay", "x11grab::987654 out.mkv", 3, {"x11grab::987654", "no such display"}},
    {"NoFilterGraph", "lavfi:nonsense out.mkv", 3, {"lavfi:nonsense"}},
    {"FilterGraphThatReadsFiles", "lavfi:movie=in.mkv out.mkv", 2, {"'movie'", "--allow-files", "--allow-network"}},
    {"FilterGraphThatLoadsCode", "lavfi:testsrc2,frei0r=glow out.mkv", 2, {"'frei0r'", "--allow-files"}},
    {"UnknownInputOption", "lavfi:testsrc2=d=1 out.mkv --input-option nonsense=1", 2, {"lavfi", "nonsense"}},
    {"InputOption", "in.mkv out.mkv --input-option nonsense", 2, {"key=value"}},
    {"UnknownInputOptionOfAFile", "in.mkv out.mkv --input-option nonsense=1", 2, {"in.mkv", "nonsense"}},
    {"StartOfALiveInput", "lavfi:testsrc2=d=1 out.mkv --live --start 1", 2, {"--start", "--duration"}},
    {"SizeOfAFile", "in.mkv out.mkv --camera-size 640x480", 2, {"in.mkv", "--camera-size"}},
    {"CameraSize", "/dev/video99 out.mkv --camera-size 640", 2, {"1280x720", "32768"}},
    {"CameraRate", "/dev/video99 out.mkv --camera-fps 0", 2, {"0.1", "1000"}},
    {"Reconnect", "udp://127.0.0.1:9 out.mkv --allow-network --reconnect 1000001", 2, {"0", "1000000"}},
    {"ReconnectAFile", "in.mkv out.mkv --reconnect 1", 2, {"in.mkv", "--reconnect"}},
    {"Timeout", "udp://127.0.0.1:9 out.mkv --allow-network --timeout -1", 2, {"0", "86400"}},
    {"FormatOfACamera", "/dev/video99 out.mkv --input-format mpegts", 2, {"v4l2", "--input-format"}},
    {"RotationAsATag",
     "in.mkv out.mp4 --metadata video:0:rotate=180",
     2,
     {"--metadata", "'video:0:rotate=180'", "--vf transpose=clock"}},
    {"Pipe", "-i pipe:3 out.mkv", 2, {"pipe:3", "pipe:0 or -", "./pipe:3"}},
    {"PipeOfAnOutput", "-i in.mkv pipe:2", 2, {"pipe:2", "pipe:1 or -"}},
    {"Protocol", "concat:in.mkv out.mkv", 3, {"No such file"}},
    {"UnknownFormat", "in.mkv out.mkv --input-format nonsense", 2, {"nonsense"}},
    {"WrongFormat", "in.mkv out.mkv --input-format mp4", 3, {"in.mkv"}},
    {"RegionOutside", "in.mkv out.mkv --gaussian 5:region=160,0,61,20", 2, {"160x120"}},
    {"PartBehindTheEnd", "in.mkv out.mkv --start 9", 3, {}},
};

const Mistake filters[] = {
    {"CommaForAPoint", "in.mkv --format null --sharpen 0,8", 2, {"sharpen", "0,8"}},
    {"NumberWithALetter", "in.mkv out.mkv --deband 2x", 2, {"deband", "2x"}},
    {"EvenSize", "in.mkv out.mkv --gaussian 4", 2, {"gaussian", "even", "3", "5", "sigma"}},
    {"SizeZero", "in.mkv out.mkv --gaussian 0", 2, {"gaussian", "range"}},
    {"SizeNegative", "in.mkv out.mkv --gaussian -3", 2, {"gaussian", "range"}},
    {"SizeTooLarge", "in.mkv out.mkv --gaussian 603", 2, {"range", "601"}},
    {"SizeHuge", "in.mkv out.mkv --gaussian 1000000001", 2, {"range", "601"}},
    {"SizeOverflow", "in.mkv out.mkv --gaussian 1e999", 2, {"size"}},
    {"SizeBroken", "in.mkv out.mkv --gaussian 3.5", 2, {"whole"}},
    {"SizeText", "in.mkv out.mkv --gaussian five", 2, {"five"}},
    {"SizeWithRest", "in.mkv out.mkv --gaussian 5x", 2, {"5x"}},
    {"SigmaNan", "in.mkv out.mkv --gaussian sigma=nan", 2, {"sigma", "nan"}},
    {"SigmaInfinite", "in.mkv out.mkv --gaussian sigma=inf", 2, {"sigma"}},
    {"SigmaNegative", "in.mkv out.mkv --gaussian 5:sigma=-1", 2, {"sigma", "-1"}},
    {"SigmaZero", "in.mkv out.mkv --gaussian 5:sigma=0", 2, {"sigma"}},
    {"SigmaHuge", "in.mkv out.mkv --gaussian 5:sigma=1e300", 2, {"sigma"}},
    {"EmptyArgument", "in.mkv out.mkv --gaussian ''", 2, {"gaussian"}},
    {"NoArgument", "in.mkv out.mkv --gaussian", 2, {"gaussian", "a size or a sigma is needed"}},
    {"NoArgumentButAName", "--gaussian in.mkv out.mkv", 2, {"gaussian", "needed", "'in.mkv'"}},
    {"EmptyValue", "in.mkv out.mkv --gaussian 5:sigma=", 2, {"sigma"}},
    {"WrongKey", "in.mkv out.mkv --gaussian 5:sgima=2", 2, {"sgima", "did you mean", "sigma"}},
    {"TwiceTheKey", "in.mkv out.mkv --gaussian 5:sigma=2:sigma=3", 2, {"sigma", "twice"}},
    {"AmountNan", "in.mkv out.mkv --sharpen nan", 2, {"amount", "0 to 10"}},
    {"AmountHuge", "in.mkv out.mkv --sharpen 1e9", 2, {"amount", "0 to 10"}},
    {"AmountNegative", "in.mkv out.mkv --sharpen -1", 2, {"amount", "0 to 10"}},
    {"ThresholdHuge", "in.mkv out.mkv --sharpen 1:threshold=256", 2, {"threshold", "0 to 255"}},
    {"SobelSize", "in.mkv out.mkv --sobel 9", 2, {"size", "3 to 7"}},
    {"SobelDirection", "in.mkv out.mkv --sobel direction=z", 2, {"'z'", "both, x, y"}},
    {"ScaleNegative", "in.mkv out.mkv --sobel scale=-1", 2, {"scale", "0 to 100"}},
    {"SigmasTooWide", "in.mkv out.mkv --dog 63", 2, {"sigma2", "100", "62.5"}},
    {"LogSigma", "in.mkv out.mkv --log 0", 2, {"sigma", "0.3 to 75"}},
    {"MatrixMissing", "in.mkv out.mkv --kernel", 2, {"kernel"}},
    {"MatrixEmpty", "in.mkv out.mkv --kernel ''", 2, {"kernel", "a matrix is needed"}},
    {"MatrixUnseparated", "in.mkv out.mkv --kernel '1 2 1 2 4 2 1 2 1'", 2, {"\"1 2 1; 2 4 2; 1 2 1\""}},
    {"MatrixWithAHole", "in.mkv out.mkv --kernel '1 2 1; 2 1; 1 2 1'", 2, {"row 2", "2 numbers", "3"}},
    {"MatrixEven", "in.mkv out.mkv --kernel '1 2; 2 1'", 2, {"2x2", "odd"}},
    {"MatrixText", "in.mkv out.mkv --kernel '1 x 1'", 2, {"'x'"}},
    {"MatrixNan", "in.mkv out.mkv --kernel '1 nan 1'", 2, {"'nan'", "1000000"}},
    {"MatrixHuge", "in.mkv out.mkv --kernel '1 1e9 1'", 2, {"'1e9'", "1000000"}},
    {"MatrixTooLarge", "in.mkv out.mkv --kernel \"$(seq -s ' ' 65)\"", 2, {"65x1", "63"}},
    {"MatrixFileMissing", "in.mkv out.mkv --kernel file=none.txt", 2, {"none.txt"}},
    {"MatrixTwice", "in.mkv out.mkv --kernel '1 2 1:file=a'", 2, {"a"}},
    {"NoMatrixHere", "in.mkv out.mkv --gaussian 5:matrix=1", 2, {"no parameter 'matrix'"}},
    {"IdentityTakesNothing", "in.mkv out.mkv --identity=5", 2, {"'5'", "key=value"}},
    {"RegionShort", "in.mkv out.mkv --gaussian 5:region=1,2,3", 2, {"region", "x,y,w,h"}},
    {"RegionOptionShort", "in.mkv out.mkv --gaussian 5 --region 1,2,3", 2, {"--region", "x,y,w,h"}},
    {"RegionOfNothing", "in.mkv out.mkv --region 1,2,3,4", 2, {"--region", "no filter"}},
    {"RegionNegative", "in.mkv out.mkv --gaussian 5:region=-1,0,5,5", 2, {"-1", "0 to 65536"}},
    {"RegionHuge", "in.mkv out.mkv --gaussian 5:region=0,0,1000000000,5", 2, {"0 to 65536"}},
    {"RegionNan", "in.mkv out.mkv --gaussian 5:region=nan,0,5,5", 2, {"nan", "x,y,w,h"}},
    {"RegionPercent", "in.mkv out.mkv --gaussian 5:region=50%,0%,101%,5%", 2, {"101%"}},
    {"RegionWithoutItsFile", "in.mkv out.mkv --gaussian 5:region=@nothing.csv", 2, {"nothing.csv", "No such file"}},
    {"PadOfAFixedRegion", "in.mkv out.mkv --gaussian 5:region=1,1,5,5:pad=3", 2, {"pad", "region=@FILE"}},
    {"OutsideWithoutFeather", "in.mkv out.mkv --gaussian 5:region=1,1,5,5:outside=1", 2, {"outside", "feather"}},
    {"EnableInFfmpegsWords", "in.mkv out.mkv --gaussian '5:enable=between(t,5,10)'", 2, {"5-10"}},
    {"EnableBackwards", "in.mkv out.mkv --gaussian 5:enable=10-5", 2, {"10-5", "ends before it begins"}},
    {"ColourOfNoName", "in.mkv out.mkv --fill colour=blakc", 2, {"blakc", "#rrggbb"}},
    {"RegionEmpty", "in.mkv out.mkv --gaussian 5:region=1,1,0,5", 2, {"more than 0"}},
    {"FeatherNegative", "in.mkv out.mkv --gaussian 5:region=1,1,5,5:feather=-1", 2, {"feather", "0 to 1000"}},
    {"FeatherOfNothing", "in.mkv out.mkv --gaussian 5:feather=3", 2, {"region or a mask"}},
    {"InvertMaybe", "in.mkv out.mkv --gaussian 5:region=1,1,5,5:invert=maybe", 2, {"invert", "maybe"}},
    {"MaskMissing", "in.mkv out.mkv --gaussian 5:mask=none.png", 2, {"none.png", "No such file"}},
    {"MaskIsAPipe", "in.mkv out.mkv --gaussian 5:mask=m.png", 2, {"m.png", "regular file"}, "mkfifo m.png"},
    {"MaskIsAFolder", "in.mkv out.mkv --gaussian 5:mask=.", 2, {"mask=.", "folder"}},
    {"MaskIsStdin", "in.mkv out.mkv --gaussian 5:mask=-", 2, {"mask=-", "standard input"}},
    {"MaskOfNoNumbers", "in.mkv out.mkv --gaussian 5:mask=m%d.png", 2, {"m%d.png", "No such file"}},
    {"MaskEmptyName", "in.mkv out.mkv --gaussian 5:mask=", 2, {"mask"}},
    {"MaskNoPicture",
     "in.mkv out.mkv --gaussian 5:mask=notes.txt",
     2,
     {"notes.txt", "picture"},
     "yes 'some words' | head -500 > notes.txt"},
    {"WrongBorder", "in.mkv out.mkv --gaussian 5:border=mirror", 2, {"mirror", "reflect_101"}},
    {"WrongChroma", "in.mkv out.mkv --gaussian 5:chroma=half", 2, {"half", "off"}},
    {"UnknownInChain", "in.mkv out.mkv --filters gausian=5", 2, {"gausian", "did you mean", "gaussian"}},
    {"EmptyChain", "in.mkv out.mkv --filters ''", 2, {}},
    {"CommaAtTheEnd", "in.mkv out.mkv --filters gaussian=5,", 2, {}},
    {"UnknownHelp", "--help gausian", 2, {"gausian", "did you mean", "gaussian"}},
};

const Mistake options[] = {
    {"ValueIsMissing", "in.mkv out.mkv --crf", 2, {"--crf: its N is missing", "--help crf"}},
    {"EncoderOfOtherHardware", "in.mkv out.mkv --codec h264_vaapi", 8, {"--codec h264_vaapi: ", "made by libx264"}},
    {"ConfigIsMissing", "in.mkv out.mkv --config", 2, {"--config: its FILE is missing"}},
    {"CompleteInTheMiddle", "in.mkv out.mkv --complete", 2, {"--complete has to be the first argument"}},
    {"MistypedStats", "in.mkv --gaussian 5 --format null --stats jsn", 2, {"'jsn'", "did you mean 'json'"}},

    {"Nothing", "", 2, {"no input"}},
    {"NoOutput", "in.mkv", 2, {"no output"}},
    {"EmptyInput", "'' out.mkv", 2, {"no input"}},
    {"EmptyOutput", "in.mkv ''", 2, {"no output"}},
    {"OneNameTooMany", "in.mkv out.mkv third.mkv", 2, {"third.mkv"}},
    {"UnknownOption", "in.mkv out.mkv --gausian 5", 2, {"--gausian", "did you mean", "--gaussian"}},
    {"UnknownOptionWithValue", "in.mkv out.mkv --crff=5", 2, {"--crff", "did you mean", "--crf"}},
    {"UnknownOptionFarOff", "in.mkv out.mkv --zzzzzzzzzz", 2, {"--zzzzzzzzzz"}},
    {"UnknownLetter", "in.mkv out.mkv -z", 2, {"-z"}},
    {"UnknownNumber", "in.mkv out.mkv -10", 2, {"-10"}},
    {"NoValue", "in.mkv out.mkv --codec", 2, {"codec"}},
    {"CrfText", "in.mkv out.mkv --crf high", 2, {"crf", "high", "0", "100"}},
    {"CrfNan", "in.mkv out.mkv --crf nan", 2, {"crf"}},
    {"CrfAndBitrate", "in.mkv out.mkv --crf 20 --bitrate 1M", 2, {"--crf", "--bitrate"}},
    {"BitrateZero", "in.mkv out.mkv --bitrate 0", 2, {"bitrate"}},
    {"BitrateUnit", "in.mkv out.mkv --bitrate 5T", 2, {"bitrate", "5T"}},
    {"EndAndDuration", "in.mkv out.mkv --end 1 --duration 1", 2, {"--end", "--duration"}},
    {"StartText", "in.mkv out.mkv --start soon", 2, {"start", "soon"}},
    {"StartNegative", "in.mkv out.mkv --start=-1", 2, {"start"}},
    {"StartFields", "in.mkv out.mkv --start 1:2:3:4", 2, {"start"}},
    {"FramesZero", "in.mkv out.mkv --frames 0", 2, {"frames"}},
    {"FramesBroken", "in.mkv out.mkv --frames 1.5", 2, {"frames", "1.5"}},
    {"Threads", "in.mkv out.mkv --threads -1", 2, {"threads"}},
    {"Device", "in.mkv out.mkv --device gpu", 2, {"gpu", "cuda"}},
    {"DeviceMissing", "in.mkv out.mkv --device cuda:99", 6, {"cuda"}},
    {"Progress", "in.mkv out.mkv --progress jsn", 2, {"jsn", "json"}},
    {"LogLevel", "in.mkv out.mkv --log-level loud", 2, {"loud", "debug"}},
    {"List", "--list filtres", 2, {"filtres", "filters"}},
    {"RegionTwice", "in.mkv out.mkv --box 5 --region 1,1,5,5 --region 9,9,5,5", 2, {"--region", "A+B"}},
    {"EncoderOption", "in.mkv out.mkv --encoder-option crf", 2, {"key=value"}},
    {"ReportIsTheInput", "in.mkv out.mkv --report in.mkv", 2, {"in.mkv"}},
    {"ReportIsALinkToTheInput", "in.mkv out.mkv --report r.json", 2, {"r.json"}, "ln -s in.mkv r.json"},
    {"ReportIsTheOutput", "in.mkv out.mkv --report out.mkv", 2, {"out.mkv"}},
    {"ReportIsTheOutputOtherwise", "in.mkv out.mkv --report ./out.mkv", 2, {"out.mkv"}},
    {"TraceIsTheInput", "in.mkv out.mkv --trace in.mkv", 2, {"in.mkv"}},
    {"TraceIsTheOutput", "in.mkv out.mkv -y --trace out.mkv", 2, {"out.mkv"}, "echo old > out.mkv"},
    {"TraceIsTheReport", "in.mkv out.mkv --trace t.json --report t.json", 2, {"t.json"}},
    {"StatsBesideTheVideo", "in.mkv - --stats json", 2, {"--stats"}},
    {"AReportBesideStats", "in.mkv --format null --report /dev/stdout --stats json", 2, {"--stats json and --report"}},
    {"ConfigMissing", "in.mkv out.mkv --config missing.toml", 2, {"missing.toml"}},
    {"ConfigKey",
     "--config c.toml",
     2,
     {"c.toml:2:", "codek", "did you mean", "codec"},
     "printf 'input = \"in.mkv\"\\ncodek = \"x\"\\n' > c.toml"},
    {"ConfigType", "in.mkv out.mkv --config c.toml", 2, {"c.toml:1:", "crf"}, "echo 'crf = [1, 2]' > c.toml"},
    {"ConfigValue",
     "in.mkv out.mkv --config c.toml",
     2,
     {"c.toml:2:", "crf"},
     "printf '\\ncrf = \"high\"\\n' > c.toml"},
    {"ConfigSyntax", "in.mkv out.mkv --config c.toml", 2, {"c.toml:2:"}, "printf 'crf = 20\\n= 3\\n' > c.toml"},
    {"ConfigFilter",
     "in.mkv out.mkv --config c.toml",
     2,
     {"c.toml:3:8:", "even"},
     "printf '[[filter]]\\nname = \"gaussian\"\\nsize = 4\\n' > c.toml"},
    {"ConfigHuge",
     "in.mkv out.mkv --config c.toml",
     2,
     {"c.toml"},
     "head -c 3000000 /dev/zero | tr '\\0' '#' > c.toml"},
    {"ConfigOfManyParts",
     "in.mkv out.mkv --config c.toml",
     2,
     {"c.toml:1:128:", "64"},
     "{ head -c 40000 /dev/zero | sed 's/\\x00/a./g'; echo 'a = 1'; } > c.toml"},
    {"ConfigOfManyBrackets",
     "in.mkv out.mkv --config c.toml",
     2,
     {"c.toml:1:65:", "64"},
     "head -c 1000000 /dev/zero | tr '\\0' '[' > c.toml"},
    {"ConfigFolder", "in.mkv out.mkv --config .", 2, {"configuration"}},
};

const Mistake outputs[] = {
    {"EncoderWithoutItsHardware", "in.mkv out.mkv --codec h264_v4l2m2m", 8, {"v4l2m2m", "made by libx264"}},
    {"UnknownPreset",
     "in.mkv out.mkv --preset nosuch",
     8,
     {"--preset nosuch: the encoder libx264 does not take it: ", "'nosuch', and --list presets has none of that name: ",
      " There are ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, veryslow, placebo"}},
    {"UnreadInMatroska", "in.mkv out.mkv --codec qtrle -y", 4, {"matroska", "qtrle"}},
    {"FolderMissing", "in.mkv missing/out.mkv", 4, {"missing/out.mkv", "the folder missing: No such file"}},
    {"IsAFolder", "in.mkv folder.mkv -y", 4, {"folder.mkv"}, "mkdir folder.mkv"},
    {"EndsInASlash", "in.mkv folder/ --format mkv", 4, {"folder/"}, "mkdir folder"},
    {"FolderIsAFile", "in.mkv in.mkv/out.mkv", 4, {"in.mkv/out.mkv"}},
    {"Exists", "in.mkv out.mkv", 4, {"out.mkv", "-y"}, "echo old > out.mkv"},
    {"Full", "in.mkv /dev/full --format mkv", 4, {"/dev/full", "No space"}},
    {"NoExtension", "in.mkv out", 2, {"out", "--format"}},
    {"UnknownExtension", "in.mkv out.xyzzy", 2, {"out.xyzzy", "--format"}},
    {"UnknownFormat", "in.mkv out.mkv --format nonsense", 2, {"nonsense"}},
    {"UnknownCodec", "in.mkv out.mkv --codec nonsense", 8, {"nonsense"}},
    {"AudioCodec", "in.mkv out.mkv --codec aac", 8, {"aac"}},
    {"UnknownPixelFormat", "in.mkv out.mkv --pix-fmt nonsense", 2, {"nonsense"}},
    {"PixelFormatOfAnother", "in.mkv out.mkv --pix-fmt gbrp10le", 8, {"libx264", "gbrp10le"}},
    {"UnknownEncoderOption", "in.mkv out.mkv --encoder-option nonsense=1", 2, {"libx264", "nonsense"}},
    {"UnknownX264Parameter", "in.mkv out.mkv --encoder-option x264-params=keyint=10:nonsense=1", 2, {"nonsense = 1"}},
    {"WrongX264Parameter", "in.mkv out.mkv --encoder-option x264-params=keyint=lots", 2, {"keyint = lots"}},
    {"UnknownX265Parameter",
     "in.mkv out.mkv --codec x265 --encoder-option x265-params=log-level=none:nonsense=1",
     2,
     {"nonsense"}},
    {"HalfOfTwoPasses", "in.mkv out.mkv --encoder-option flags=+pass1", 2, {"--two-pass"}},
    {"HalfOfTwoPassesOfX264", "in.mkv out.mkv --encoder-option x264-params=keyint=9:pass=1", 2, {"--two-pass"}},
    {"WrongEncoderOption", "in.mkv out.mkv --encoder-option crf=lots", 8, {"libx264"}},
    {"CodecNotForContainer", "in.mkv out.webm --codec libx264", 4, {"webm"}},
    {"OddSize",
     "odd.mkv out.mp4",
     8,
     {"libx264", "161x121"},
     "ffmpeg -v error -f lavfi -i testsrc2=s=162x122:d=0.2 -vf crop=161:121:0:0:exact=1 -pix_fmt yuv420p -c:v ffv1 "
     "odd.mkv"},
    {"BeyondTheEncoder",
     "wide.mkv out.mkv --codec mpeg4",
     8,
     {"mpeg4", "8200x16"},
     "ffmpeg -v error -f lavfi -i color=s=8200x16:d=0.1 -c:v ffv1 wide.mkv"},
    {"Itself", "in.mkv in.mkv -y", 2, {"in.mkv", "same file"}},
    {"ItselfOtherwise", "in.mkv ./sub/../in.mkv -y", 2, {"same file"}, "mkdir sub"},
    {"ItselfBySymlink", "in.mkv link.mkv -y", 2, {"same file"}, "ln -s in.mkv link.mkv"},
    {"ItselfByHardLink", "in.mkv link.mkv -y", 2, {"same file"}, "ln in.mkv link.mkv"},
    {"Trace", "in.mkv out.mkv --trace missing/t.json", 4, {"missing/t.json", "No such file"}},
};

const auto name_of = [](const testing::TestParamInfo<Mistake>& row) { return row.param.name; };
INSTANTIATE_TEST_SUITE_P(Inputs, Mistakes, testing::ValuesIn(inputs), name_of);
INSTANTIATE_TEST_SUITE_P(Filters, Usage, testing::ValuesIn(filters), name_of);
INSTANTIATE_TEST_SUITE_P(Options, Usage, testing::ValuesIn(options), name_of);
INSTANTIATE_TEST_SUITE_P(Outputs, Mistakes, testing::ValuesIn(outputs), name_of);

}  // namespace

}  // namespace vfilter::test
