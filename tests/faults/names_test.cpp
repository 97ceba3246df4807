// Faults 22, 23, 28, 32 and 33: only the files that were named are touched.

#include <sys/stat.h>

#include <map>

#include "tests/support/faults.h"
#include "tests/support/listener.h"

namespace vfilter::test {

namespace {

class Names : public Faults {
protected:
    // All files here with their content.
    [[nodiscard]] std::map<std::string, std::string> all() const {
        std::map<std::string, std::string> files;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(folder())) {
            if (std::filesystem::is_regular_file(entry.symlink_status())) {
                const std::string name = std::filesystem::relative(entry.path(), folder()).string();
                files[name] = content(name);
            }
        }
        return files;
    }
    // It ends with `code` and no file is another than before. Gives what it said.
    Result expect_untouched(const std::string& arguments, std::initializer_list<int> codes) const {
        SCOPED_TRACE(arguments);
        const auto before = all();
        const Ended end = timed(std::string("exec ") + kept + arguments);
        EXPECT_NE(std::ranges::find(codes, end.result.code), codes.end()) << end.result;
        EXPECT_LT(end.seconds, 20);
        std::vector<std::string> lines = complaints(end.result);
        // What becomes of other streams is no complaint.
        std::erase_if(lines, [](const std::string& line) {
            return line.find("is left out") != std::string::npos || line.find(" becomes ") != std::string::npos;
        });
        EXPECT_EQ(lines.size(), 1U) << end.result;
        const auto after = all();
        EXPECT_TRUE(before == after) << end.result << names().size();
        return end.result;
    }
};

// Fault 32. What the precious files are called is what each muxer would write.
TEST_F(Names, MuxersThatOpenFilesOfTheirOwnAreRefused) {
    make_clip("in.mkv", 10);
    for (const std::string precious :
         {"0.ts", "h0.ts", "out0.ts", "out1.png", "1.png", "seg0.mkv", "init.mp4", "o1.webp", "chunk-stream0-00001.m4s",
          "init-stream0.m4s", "out000.ts", "out.m3u8", "d.mpd"}) {
        write(precious, "precious");
    }
    for (const std::string overwrite : {"", "-n", "-y"}) {
        for (const std::string target : {"h.m3u8", "new.mpd", "one.png", "o.jpg", "o.bmp", "new.ism", "out.f4m"}) {
            expect_untouched(fmt::format("in.mkv {} {}", target, overwrite), {2});
        }
        for (const std::string format :
             {"tee", "segment", "stream_segment", "ssegment", "hls", "dash", "image2", "hds", "smoothstreaming",
              "webm_chunk", "fifo", "sap", "rtsp", "tee:x", "segment,mkv"}) {
            if (overwrite != "-y" && format != "segment") {
                continue;  // what may be written over has nothing to do with it
            }
            expect_untouched(fmt::format("in.mkv out%03d.ts --format {} {}", format, overwrite), {2});
            expect_untouched(fmt::format("in.mkv '[f=mpegts]new.ts|0.ts' --format {} {}", format, overwrite), {2});
            expect_untouched(fmt::format("in.mkv - --format {} {}", format, overwrite), {2});
        }
        // They open nothing themselves, but are no files.
        for (const std::string format : {"webm_dash_manifest", "rtp", "rtp_mpegts"}) {
            expect_untouched(fmt::format("in.mkv out%03d.ts --format {} {}", format, overwrite), {2, 4, 8});
        }
    }
}

// Whatever muxers this FFmpeg has: none makes another file than the one that was named.
TEST_F(Names, NoMuxerMakesAnotherFile) {
    make_clip("in.mkv", 3);
    std::filesystem::create_directory(path("work"));
    std::vector<std::string> formats;
    for (const std::string& line : lines_of(run("ffmpeg -v quiet -muxers").out)) {
        if (line.starts_with("  E ") || line.starts_with(" E") || line.starts_with("  E")) {
            std::string format = line.substr(line.find('E') + 1);
            format.erase(0, format.find_first_not_of(' '));
            formats.push_back(format.substr(0, format.find(' ')));
        }
    }
    ASSERT_GT(formats.size(), 100U);
    int formats_that_write = 0;
    for (const std::string& format : formats) {
        if (format == "null" || format == "a64") {
            continue;  // nothing; and an encoder that makes one packet of four pictures
        }
        SCOPED_TRACE(format);
        const Ended end = timed(fmt::format("cd work && exec {}../in.mkv o%d --format {} -q -y", kept, format));
        EXPECT_TRUE(end.result.code == 0 || end.result.code == 2 || end.result.code == 4 || end.result.code == 8)
            << end.result;
        constexpr double patience = 60;  // nobody waits for something; with others at work it is some seconds
        EXPECT_LT(end.seconds, patience) << end.result;
        const bool written = exists("work/o%d") && std::filesystem::file_size(path("work/o%d")) > 0;
        EXPECT_EQ(written, end.result.code == 0) << end.result;
        formats_that_write += written ? 1 : 0;
        for (const auto& entry : std::filesystem::directory_iterator(path("work"))) {
            const std::string name = entry.path().filename().string();
            EXPECT_TRUE(name == "o%d" || name.starts_with(".o%d.vfilter-")) << name << ' ' << end.result;
            EXPECT_EQ(name == "o%d", end.result.code == 0) << name << ' ' << end.result;
        }
        std::filesystem::remove_all(path("work"));
        std::filesystem::create_directory(path("work"));
    }
    EXPECT_GE(formats_that_write, 45);
}

// Fault 33: each is a file of that very name, or none. The first few are pictures where no file has that name: only
// they are read.
TEST_F(Names, ThatArePatternsAreJustNames) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -start_number 1 pic%d.png");
    ffmpeg("-f lavfi -i testsrc2=s=160x120:r=25:d=0.12 -c:v ffv1 clip.mkv");
    const std::string sequences[] = {"pic%d.png", "pic%1d.png", "pic*.png", "pic?.png", "pic[12345].png"};
    for (const std::string& name : sequences) {
        SCOPED_TRACE(name);
        const Result result = vfilter(fmt::format("'{}' pictures.mkv -y", name));
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(count_pictures("pictures.mkv"), 5);
        EXPECT_TRUE(says(result, "5 pictures")) << result;
    }
    const std::string patterns[] = {"pic%d.png",
                                    "pic%1d.png",
                                    "pic*.png",
                                    "pic?.png",
                                    "pic[12345].png",
                                    "pic{1,2}.png",
                                    "pic1.png|pic2.png",
                                    "concat:pic1.png|pic2.png",
                                    "subfile:,,start,0,end,100,,:pic1.png",
                                    "file:pic1.png",
                                    "cache:pic1.png",
                                    "async:pic1.png",
                                    "crypto:pic1.png",
                                    "pipe:0",
                                    "pipe:",
                                    "fd:0",
                                    "data:text/plain,abc",
                                    "concatf:list.txt",
                                    "md5:",
                                    "unix:socket",
                                    "glob:pic*.png",
                                    "image2:pic%d.png",
                                    "tee:a|b",
                                    "-"};
    for (const std::string& name : patterns) {
        if (name == "-") {
            continue;
        }
        if (std::ranges::find(sequences, name) != std::end(sequences)) {
            continue;
        }
        SCOPED_TRACE(name);
        const Result missing = expect_untouched(fmt::format("'{}' out.mkv", name), {3});
        EXPECT_TRUE(says(missing, "No such file")) << missing;
    }
    const std::string alike = " --codec ffv1 --muxer-option fflags=+bitexact";  // the same bytes each time
    ASSERT_EQ(vfilter("clip.mkv whole.mkv" + alike).code, 0);
    ASSERT_EQ(count_pictures("whole.mkv"), 3);
    const std::string whole = content("whole.mkv");
    for (const std::string& name : patterns) {
        if (name == "-" || name.find('/') != std::string::npos) {
            continue;
        }
        SCOPED_TRACE(name);
        std::filesystem::copy_file(path("clip.mkv"), path(name));
        ASSERT_EQ(vfilter(fmt::format("'{}' out.mkv -y{}", name, alike)).code, 0);
        EXPECT_TRUE(content("out.mkv") == whole);
        std::filesystem::remove(path(name));
        // And as outputs.
        const Result out = vfilter(fmt::format("clip.mkv '{}' --format mkv{}", name, alike));
        EXPECT_EQ(out.code, 0) << out;
        EXPECT_TRUE(content(name) == whole);
        std::filesystem::remove(path(name));
    }
}

// Nobody connects to it, and what it holds is no picture.
TEST_F(Names, FiltersReachNothingWithoutLeave) {
    const Listener listener(SOCK_NONBLOCK);
    const int port = listener.port();
    make_clip("in.mkv", 5);
    const std::string graphs[] = {
        fmt::format("lavfi:movie=http\\\\://127.0.0.1\\\\:{}/a.mkv", port),
        fmt::format("lavfi:movie=tcp\\\\://127.0.0.1\\\\:{}", port),
        fmt::format("lavfi:amovie=http\\\\://127.0.0.1\\\\:{}/a.mkv[out1];testsrc2=d=1[out0]", port),
        fmt::format("lavfi:testsrc2=d=1[a];movie=http\\\\://127.0.0.1\\\\:{}/a[b];[a][b]overlay", port),
        "lavfi:movie=/etc/hostname",
        "lavfi:movie=in.mkv",
        "lavfi:movie=filename=in.mkv",
        "lavfi:'mo'vie=in.mkv",
        "lavfi:testsrc2=d=1,drawtext=textfile=/etc/passwd",
        "lavfi:testsrc2=d=1,lut3d=in.mkv",
        "lavfi:testsrc2=d=1,metadata=print:file=made.txt"};
    for (const std::string& graph : graphs) {
        expect_untouched(fmt::format("'{}' out.mkv", graph), {2});
        EXPECT_LT(listener.next(), 0) << "somebody has connected: " << graph;
    }
    for (const std::string name : {"http://127.0.0.1:{}/a.mkv", "tcp://127.0.0.1:{}", "rtmp://127.0.0.1:{}/a"}) {
        expect_untouched(fmt::format(fmt::runtime(name), port) + " out.mkv", {2});
        EXPECT_LT(listener.next(), 0) << "somebody has connected: " << name;
    }
    // Nor do files that name others.
    write("list.m3u8", fmt::format("#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nhttp://127.0.0.1:{}/a.ts\n", port));
    write("list.ffconcat", "ffconcat version 1.0\nfile in.mkv\n");
    write("list.sdp", fmt::format("v=0\nc=IN IP4 127.0.0.1\nm=video {} RTP/AVP 96\n", port));
    for (const std::string list : {"list.m3u8", "list.ffconcat", "list.sdp"}) {
        expect_untouched(list + " out.mkv", {3});
    }
    EXPECT_LT(listener.next(), 0);
    // With leave they work.
    EXPECT_EQ(vfilter("lavfi:movie=in.mkv out.mkv --allow-files --allow-network").code, 0);
}

// Fault 31: the loader must not look into the folder in which it is started.
TEST_F(Names, NoLibraryOfTheWorkingDirectoryIsLoaded) {
    make_clip("in.mkv", 3);
    write("evil.c",
          "#include <stdio.h>\n__attribute__((constructor)) static void run(void) { fclose(fopen(\"loaded\", \"w\")); "
          "}\n");
    const std::string names_of_all = run("for f in $(ldd \"$VFILTER\" | awk '/=>/ {print $1}') libcuda.so.1 "
                                         "libavdevice.so.59 libavfilter.so.8 libpreview.so; do "
                                         "echo $f; done | sort -u")
                                         .out;
    ASSERT_NE(names_of_all.find("libtomlplusplus.so"), std::string::npos) << names_of_all;
    ASSERT_EQ(run("gcc -shared -fPIC -o evil.so evil.c").code, 0);
    for (const std::string& library : lines_of(names_of_all)) {
        std::filesystem::copy_file(path("evil.so"), path(library), std::filesystem::copy_options::skip_existing);
    }
    // Started here: what is kept started has loaded its libraries elsewhere.
    for (const std::string line : {"in.mkv out.mkv -y", "lavfi:testsrc2=d=0.2 out.mkv -y", "--list devices"}) {
        EXPECT_EQ(run("exec $VFILTER " + line).code, 0) << line;
        EXPECT_FALSE(exists("loaded")) << line;
    }
    // They would be, where the loader is told so.
    EXPECT_EQ(run("LD_LIBRARY_PATH=. exec $VFILTER --version").code, 127);
}

// Fault 22.
TEST_F(Names, TheInputIsNeverTheOutput) {
    make_clip("in.mkv", 5);
    const std::string before = content("in.mkv");
    ASSERT_EQ(run("ln -s in.mkv soft.mkv; ln in.mkv hard.mkv; ln -s soft.mkv softer.mkv; mkdir sub").code, 0);
    for (const std::string line :
         {"$VFILTER in.mkv - -y 1<>in.mkv", "$VFILTER - in.mkv -y < in.mkv", "$VFILTER - soft.mkv -y < in.mkv",
          "$VFILTER soft.mkv hard.mkv -y", "$VFILTER softer.mkv in.mkv -y", "$VFILTER in.mkv sub/../in.mkv -y",
          "$VFILTER in.mkv /dev/fd/3 -y --format mkv 3<>in.mkv", "$VFILTER in.mkv /proc/self/cwd/in.mkv -y",
          "$VFILTER in.mkv out.mkv --report in.mkv", "$VFILTER in.mkv out.mkv --report hard.mkv",
          "$VFILTER in.mkv out.mkv --trace soft.mkv", "$VFILTER in.mkv out.mkv --report out.mkv",
          "$VFILTER in.mkv out.mkv --report ./out.mkv", "$VFILTER in.mkv out.mkv --trace r.json --report r.json",
          "$VFILTER in.mkv --format null --stats json 1<>in.mkv"}) {
        const Result result = run(line);
        EXPECT_EQ(result.code, 2) << result;
        ASSERT_TRUE(content("in.mkv") == before) << result;
        EXPECT_FALSE(exists("out.mkv")) << result;
    }
    EXPECT_EQ(parts().size(), 0U);
}

TEST_F(Names, AReportReplacesNothingThatWasNamed) {
    make_clip("in.mkv", 5);
    write("c.toml", "box = 3\n");
    write("c.toml", "codec = \"libx264\"\n");
    write("m.txt", "1 2 1; 2 4 2; 1 2 1\n");
    ffmpeg("-f lavfi -i color=white:s=160x120 -frames:v 1 mask.png");
    for (const std::string line :
         {"in.mkv out.mkv --config c.toml --report c.toml", "in.mkv out.mkv --config c.toml --report ./c.toml",
          "in.mkv out.mkv --gaussian 5:mask=mask.png --report mask.png",
          "in.mkv out.mkv --config c.toml --trace c.toml", "in.mkv c.toml -y --format mkv --config c.toml"}) {
        expect_untouched(line, {2});
    }
    // Usage errors write their report, too, but over nothing that was named.
    const Result wrong = vfilter("in.mkv out.mkv --gaussian 4 --report r.json");
    EXPECT_EQ(wrong.code, 2) << wrong;
    EXPECT_EQ(json_of("r.json").at("exit_code"), 2);
    EXPECT_FALSE(json_of("r.json").at("error").get<std::string>().empty());
    EXPECT_EQ(vfilter("in.mkv out.mkv --nonsense --report=r2.json").code, 2);
    EXPECT_EQ(json_of("r2.json").at("exit_code"), 2);
    for (const std::string line :
         {"in.mkv out.mkv --gaussian 4 --report in.mkv", "in.mkv out.mkv --config c.toml --nonsense --report c.toml",
          "--config=c.toml in.mkv out.mkv --gaussian 4 --report ./c.toml",
          "-i in.mkv -o mask.png --nonsense --report mask.png",
          "in.mkv out.mkv --gaussian 4:mask=mask.png --report mask.png"}) {
        expect_untouched(line, {2});
    }
}

TEST_F(Names, AReportGoesIntoPipes) {
    make_clip("in.mkv", 5);
    for (const std::string line : {"$VFILTER in.mkv out.mkv -y -q --report /dev/fd/3 3>&1 | cat",
                                   "$VFILTER in.mkv out.mkv -y -q --report /dev/stdout | cat",
                                   "mkfifo p; $VFILTER in.mkv out.mkv -y -q --report p & cat p; wait"}) {
        const Result result = run(line);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(nlohmann::json::parse(result.out).at("exit_code"), 0) << result;
    }
    // A clean error where it cannot, and a signal is heard while nobody reads.
    ASSERT_EQ(run("ln -s b a; ln -s a b; mkfifo q").code, 0);
    const Ended loop = timed("exec $VFILTER in.mkv out.mkv -y -q --report a");
    EXPECT_TRUE(loop.result.code == 4 || loop.result.code == 2) << loop.result;
    EXPECT_TRUE(says(loop.result, "Too many levels of symbolic links")) << loop.result;
    EXPECT_EQ(run("exec $VFILTER in.mkv out.mkv -y -q --report /dev/stdin < /dev/null").code, 0);
    std::filesystem::remove(path("out.mkv"));
    Command command("exec $VFILTER in.mkv out.mkv -y -q --report q", folder());
    ASSERT_TRUE(wait_until(command, [this] { return exists("out.mkv"); }));
    rest(100);
    const Ended end = stop(command, SIGTERM);
    EXPECT_EQ(end.result.code, 4) << end.result;
    EXPECT_TRUE(says(end.result, "q: nobody has opened it for reading")) << end.result;
    EXPECT_EQ(count_pictures("out.mkv"), 5);
    EXPECT_LT(end.seconds, after_a_signal);
}

// As it is where a reader takes nothing.
TEST_F(Names, APipeThatNobodyReadsIsAStall) {
    make_clip("in.mkv", 5);
    ASSERT_EQ(run("mkfifo q").code, 0);
    const std::string stall = " --stall-timeout 1 -q";
    const Result output = vfilter("in.mkv q --format matroska -y" + stall);
    EXPECT_EQ(output.code, 1) << output;
    EXPECT_TRUE(says(output, "the output is being opened: no progress for 1 s")) << output;
    EXPECT_EQ(vfilter("in.mkv out.mkv --trace q" + stall).code, 1);
    const Result report = vfilter("in.mkv whole.mkv --report q" + stall);
    EXPECT_EQ(report.code, 4) << report;
    EXPECT_EQ(count_pictures("whole.mkv"), 5);
}

TEST_F(Names, LinksAreFollowedAndRightsAreNot) {
    make_clip("in.mkv", 5);
    ASSERT_EQ(run("mkdir sub; ln -s sub/new.mkv dangling.mkv; ln -s y x; ln -s x y").code, 0);
    ASSERT_EQ(vfilter("in.mkv dangling.mkv").code, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(path("dangling.mkv")));
    EXPECT_EQ(count_pictures("sub/new.mkv"), 5);
    ASSERT_EQ(vfilter("in.mkv dangling.mkv -y --frames 3").code, 0);
    EXPECT_TRUE(std::filesystem::is_symlink(path("dangling.mkv")));
    EXPECT_EQ(count_pictures("sub/new.mkv"), 3);
    expect_untouched("in.mkv x --format mkv", {4});
    expect_untouched("x out.mkv", {3});

    write("old.mkv", "old");
    ASSERT_EQ(chmod(path("old.mkv").c_str(), 06755), 0);
    ASSERT_EQ(vfilter("in.mkv old.mkv -y").code, 0);
    struct stat status {};
    ASSERT_EQ(stat(path("old.mkv").c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 07777, 0755U);
}

TEST_F(Names, AVobSubIndexOpensNoOtherFile) {
    write("in.mkv", "# VobSub index file, v7 (do not modify this line!)\nid: en, index: 0\n");
    const Result result = vfilter("in.mkv out.mkv");
    EXPECT_EQ(result.code, 3) << result;
    EXPECT_NE(result.err.find("the index of VobSub, whose pictures lie in another file"), std::string::npos) << result;
}

}  // namespace

}  // namespace vfilter::test
