// Fault 44: text of strangers, in tags, names and logs, never steers the terminal. One message is one line.

#include "tests/support/faults.h"

namespace vfilter::test {

namespace {

class Text : public Faults {
protected:
    // Printable lines, but for what the progress line is drawn with.
    static void expect_printable(const Result& result, bool progress = false) {
        std::string text = result.err;
        if (progress) {
            for (const std::string drawing : {"\r\x1b[K", "\r\x1b[2K", "\r"}) {
                for (std::size_t at = 0; (at = text.find(drawing, at)) != std::string::npos;) {
                    text.erase(at, drawing.size());
                }
            }
        }
        for (std::size_t i = 0; i < text.size(); ++i) {
            const auto byte = static_cast<unsigned char>(text[i]);
            EXPECT_TRUE(byte == '\n' || (byte >= 0x20 && byte != 0x7f))
                << static_cast<int>(byte) << " at " << i << ": " << text;
            // C1 controls, which are two bytes in UTF-8: CSI is U+009B.
            EXPECT_FALSE(byte == 0xc2 && i + 1 < text.size() && static_cast<unsigned char>(text[i + 1]) < 0xa0) << text;
        }
    }
};

const std::string nasty =
    "a\x1b[2J\x1b]0;owned\a\nvfilter: all is well\r\t\x7f\xc2\x9b"
    "31m\xe2\x80\xae"
    "b";

TEST_F(Text, OfTagsIsPrintable) {
    write("meta.txt", ";FFMETADATA1\ntitle=" + std::string("x\x1b[2Jy\\\nvfilter: z") +
                          "\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=c\x1b[31m\n");
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -f lavfi -i sine=d=0.4 -i meta.txt -map_metadata 2 -map 0 -map 1 -c:v "
        "ffv1 -metadata:s:0 title=$'v\\x1b[5m\\nw' -metadata:s:0 handler_name=$'\\x1b[0m' -metadata:s:1 "
        "language=$'e\\x1bn' in.mkv");
    for (const std::string options : {"out.mkv", "out.mp4", "out.avi", "out.webm --bitrate 1M", "out.y4m",
                                      "out.mkv --stats", "out.mkv --log-level debug", "out.mkv --strict --verify"}) {
        const Result result = vfilter("in.mkv -y " + options);
        EXPECT_EQ(result.code, 0) << result;
        expect_printable(result);
        EXPECT_EQ(result.err.find("\nvfilter: z"), std::string::npos);
    }
    // What is copied is copied as it is.
    ASSERT_EQ(vfilter("in.mkv -y out.mkv").code, 0);
    EXPECT_EQ(probe("out.mkv").tag("title"), probe("in.mkv").tag("title"));
}

TEST_F(Text, OfNamesIsPrintable) {
    make_clip("in.mkv", 5);
    std::string name = nasty + ".mkv";
    std::filesystem::copy_file(path("in.mkv"), path(name));
    write("name", name);
    write("bare", nasty);
    const std::string lines[] = {"\"$(cat name)\" out.mkv -y",
                                 "in.mkv \"x$(cat name)\" -y",
                                 "in.mkv \"x$(cat name)\" -n",
                                 "in.mkv \"missing/$(cat name)\"",
                                 "\"missing$(cat name)\" out.mkv -y",
                                 "in.mkv out.mkv -y --report \"missing/$(cat name)\"",
                                 "in.mkv out.mkv -y --codec \"$(cat bare)\"",
                                 "in.mkv out.mkv -y --gaussian \"$(cat bare)\"",
                                 "in.mkv out.mkv -y --filters \"$(cat bare)\"",
                                 "in.mkv out.mkv -y \"--$(cat bare)\"",
                                 "in.mkv out.mkv -y --encoder-option \"$(cat bare)=1\"",
                                 "in.mkv out.mkv -y --encoder-option \"x264-params=$(cat bare)\"",
                                 "in.mkv out.mkv -y --input-format \"$(cat bare)\"",
                                 "in.mkv out.mkv -y --format \"$(cat bare)\"",
                                 "in.mkv out.mkv -y --pix-fmt \"$(cat bare)\"",
                                 "in.mkv out.mkv -y --device \"$(cat bare)\"",
                                 "in.mkv out.mkv -y --start \"$(cat bare)\"",
                                 "in.mkv out.mkv -y --region \"$(cat bare)\"",
                                 "in.mkv out.mkv -y --gaussian 5:mask=\"$(cat bare)\"",
                                 "in.mkv out.mkv -y --config \"$(cat bare)\"",
                                 "in.mkv out.mkv extra \"$(cat bare)\"",
                                 "\"lavfi:testsrc2,$(cat bare)\" out.mkv -y",
                                 "\"rtsp://$(cat bare)\" out.mkv -y",
                                 "--help \"$(cat bare)\"",
                                 "--list \"$(cat bare)\""};
    for (const std::string& line : lines) {
        const Result result = run("exec $VFILTER " + line);
        SCOPED_TRACE(line);
        EXPECT_TRUE(result.code >= 0 && result.code <= 8) << result;
        expect_printable(result);
        EXPECT_EQ(result.err.find("\nvfilter: all is well"), std::string::npos) << result;
        for (const std::string& name_left : names()) {
            if (name_left.starts_with("x")) {
                std::filesystem::remove(path(name_left));
            }
        }
    }
    // As JSON and TOML, which may be shown on a terminal as well, and hold the name all the same.
    for (const std::string shown : {"--report - --format null -q", "--stats json --format null -q", "--print-config"}) {
        SCOPED_TRACE(shown);
        Result result = run("exec $VFILTER \"$(cat name)\" " + shown);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(result.out.find(std::string("\xc2\x9b")), std::string::npos) << result;
        EXPECT_NE(result.out.find("\\u009B31m"), std::string::npos) << result;
        result.err = result.out;
        expect_printable(result);
    }
    // In a configuration, whose line and place are told.
    write("c.toml", "codec = \"\\u001b[2J\\nvfilter: z\"\n");
    expect_printable(vfilter("in.mkv out.mkv -y --config c.toml"));
    write("c.toml", "\"\\u001b[2J\\nvfilter: z\" = 1\n");
    expect_printable(vfilter("in.mkv out.mkv -y --config c.toml"));
    write("c.toml", "a = \x1b[2J\n");
    expect_printable(vfilter("in.mkv out.mkv -y --config c.toml"));
}

TEST_F(Text, OfLibrariesIsPrintable) {
    make_clip("clip.mkv", 40);
    // What decoders say of rubbish, in every level of the log.
    ffmpeg("-i clip.mkv -c copy -bsf:v noise=amount=20 bad.mkv");
    for (const std::string options : {"", "--log-level debug", "--strict"}) {
        expect_printable(vfilter("bad.mkv out.mkv -y " + options));
    }
}

TEST_F(Text, OfTheProgressLineIsAllThatIsDrawn) {
    make_clip("in.mkv", 50);
    std::filesystem::copy_file(path("in.mkv"), path(nasty));
    write("name", nasty);
    const Result result = run("exec $VFILTER \"$(cat name)\" out.mkv -y --progress bar --gaussian 31");
    EXPECT_EQ(result.code, 0) << result;
    expect_printable(result, true);
}

}  // namespace

}  // namespace vfilter::test
