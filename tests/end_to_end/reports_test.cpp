// What the program tells: help and lists, configuration, progress, report, statistics, trace, verification.

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Reports : public EndToEnd {
protected:
    // What a successful run prints on stdout, with nothing on stderr.
    std::string printed(const std::string& arguments) const {
        const Result result = vfilter(arguments);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(result.err, "") << result;
        return result.out;
    }
};

TEST_F(Reports, HelpListsAndVersionArePrinted) {
    EXPECT_TRUE(printed("--version").starts_with("vfilter ")) << printed("--version");
    EXPECT_EQ(printed("--help"), printed("-h"));
    const std::string help = printed("--help all");
    for (const char* const word :
         {"--gaussian", "--box", "--codec", "--crf", "--start", "--report", "--trace", "143", "-y"}) {
        EXPECT_NE(help.find(word), std::string::npos) << word;
    }
    const std::string topic = printed("--help gaussian");
    for (const char* const word : {"sigma", "border", "reflect_101", "chroma", "odd"}) {
        EXPECT_NE(topic.find(word), std::string::npos) << word;
    }
    for (const std::string& filter : lines_of(printed("--list filters"))) {
        EXPECT_NE(help.find("--" + filter.substr(0, filter.find(' '))), std::string::npos) << filter;
        printed("--help " + filter.substr(0, filter.find(' ')));
    }
    EXPECT_NE(printed("--list encoders").find("libx264"), std::string::npos);
    EXPECT_NE(printed("--list devices").find("cpu"), std::string::npos);
    EXPECT_NE(printed("--doctor").find("SIMD"), std::string::npos);
    EXPECT_EQ(run("$VFILTER --help > /dev/full").code, 4);
}

TEST_F(Reports, AConfigurationRepeatsTheRun) {
    make_clip("in.mkv", 20);
    const std::string options =
        "in.mkv out.mkv --gaussian 9:sigma=2:border=replicate --box 3:chroma=off --codec ffv1 --start 3f --frames 10 "
        "--encoder-option g=1 --encoder-option slices=4 --threads 2";
    const std::string config = printed("--print-config " + options);
    write("run.toml", config);
    EXPECT_EQ(printed("--print-config --config run.toml"), config);
    EXPECT_EQ(vfilter(options + " -q").code, 0);
    const auto wanted = picture_hashes("out.mkv");
    EXPECT_EQ(wanted.size(), 10U);
    const auto packets = probe("out.mkv").video().hashes();
    std::filesystem::remove(path("out.mkv"));
    EXPECT_EQ(vfilter("--config run.toml -q").code, 0);
    EXPECT_EQ(picture_hashes("out.mkv"), wanted);
    EXPECT_TRUE(probe("out.mkv").video().hashes() == packets);
    // The command line goes on from there.
    EXPECT_EQ(vfilter("--config run.toml -q -y --frames 4 -o other.mkv").code, 0);
    EXPECT_EQ(count_pictures("other.mkv"), 4);
}

TEST_F(Reports, QuietIsQuietAndOtherwiseALastLineSums) {
    make_clip("in.mkv", 20);
    const Result quiet = vfilter("in.mkv out.mkv -q --gaussian 3");
    EXPECT_EQ(quiet.code, 0);
    EXPECT_EQ(quiet.out + quiet.err, "");
    const Result usual = vfilter("in.mkv out.mkv -y --gaussian 3");
    EXPECT_EQ(usual.out, "");
    const std::string last = lines_of(usual.err).back();
    for (const char* const word : {"out.mkv", "20 frames in", "20 out", " s,", " fps", "cpu", "bound by"}) {
        EXPECT_NE(last.find(word), std::string::npos) << word << " in " << last;
    }
    EXPECT_EQ(usual.err.find('\033'), std::string::npos) << "colours or cursor movements off a terminal";
}

void expect_progress(const nlohmann::json& progress) {
    for (const char* const key : {"seconds", "fps", "speed", "dropped", "eta_seconds"}) {
        ASSERT_TRUE(progress.at(key).is_number()) << key << progress;
        EXPECT_GE(progress.at(key), 0) << key;
    }
    const auto frames = progress.at("frames").get<double>();
    const auto fps = progress.at("fps").get<double>();
    EXPECT_LE(frames, 50);
    EXPECT_EQ(progress.at("frames_expected"), 50);
    EXPECT_NEAR(fps * progress.at("seconds").get<double>(), frames, 0.001);
    EXPECT_NEAR(progress.at("speed").get<double>(), fps / 25, 0.001);
    EXPECT_NEAR(progress.at("eta_seconds").get<double>() * fps, 50 - frames, 0.001);
}

// Of a run that takes two seconds.
TEST_F(Reports, ProgressIsALineOfJsonEach) {
    ffmpeg("-f lavfi -i testsrc2=s=320x240:r=25:d=2 -c:v libx264 -preset ultrafast in.mp4");
    const Result result = vfilter("in.mp4 out.mp4 --live --gaussian 3 --progress json");
    ASSERT_EQ(result.code, 0) << result;
    std::int64_t before = 0;
    double told = 0;
    int count = 0;
    for (const std::string& line : lines_of(result.err)) {
        if (line.starts_with("vfilter: ")) {
            continue;
        }
        const nlohmann::json progress = nlohmann::json::parse(line);
        expect_progress(progress);
        EXPECT_GE(progress.at("frames"), before);
        const auto seconds = progress.at("seconds").get<double>();
        EXPECT_TRUE(progress.contains("exit_code") || seconds > told + 0.2) << "four times a second, and no more";
        told = seconds;
        before = progress.at("frames");
        ++count;
    }
    EXPECT_GE(count, 3) << "a machine that stands still misses some: " << result;
}

TEST_F(Reports, ProgressEndsWithWhatTheReportSays) {
    ffmpeg("-f lavfi -i testsrc2=s=320x240:r=25:d=1 -c:v libx264 -preset ultrafast in.mp4");
    write("junk.mp4", "junk");
    for (const auto& [arguments, code, frames] : {std::tuple<std::string, int, int>{"in.mp4 out.mp4 --box 3", 0, 25},
                                                  {"in.mp4 out.mkv --vf loop=loop=20:size=25 --codec ffv1", 0, 525},
                                                  {"junk.mp4 out.mp4", 3, 0},
                                                  {"in.mp4 none/out.mp4", 4, 0}}) {
        SCOPED_TRACE(arguments);
        const Result result = vfilter(arguments + " -y --progress json --report r.json");
        EXPECT_EQ(result.code, code) << result;
        const nlohmann::json last = nlohmann::json::parse(lines_of(result.err).back(), nullptr, false);
        ASSERT_TRUE(last.is_object()) << result;
        const nlohmann::json report = json_of("r.json");
        EXPECT_EQ(last.at("frames"), frames);
        EXPECT_EQ(last.at("exit_code"), code);
        EXPECT_EQ(report.at("frames").at("out"), frames);
        EXPECT_NEAR(last.at("seconds"), report.at("seconds").get<double>(), 1e-5);
        EXPECT_EQ(result.err.find(R"("eta_seconds":-)"), std::string::npos) << result;
    }
}

void expect_report(const nlohmann::json& report) {
    EXPECT_EQ(report.at("schema"), 1);
    EXPECT_EQ(report.at("exit_code"), 0);
    EXPECT_TRUE(report.at("error").is_null());
    EXPECT_EQ(report.at("input"), "in.mkv");
    EXPECT_EQ(report.at("container"), "matroska");
    EXPECT_EQ(report.at("encoder"), "libx264");
    EXPECT_EQ(report.at("filters").at(0).at("name"), "gaussian");
    EXPECT_EQ(report.at("filters").at(0).at("arguments"), "size=5");
    EXPECT_EQ(report.at("frames"), (nlohmann::json{{"in", 20}, {"out", 20}, {"dropped", 0}}));
    EXPECT_GT(report.at("seconds"), 0);
    EXPECT_GT(report.at("fps"), 0);
    EXPECT_EQ(report.at("damage"), (nlohmann::json{{"packets", 0},
                                                   {"packets_left_out", 0},
                                                   {"silences", 0},
                                                   {"frames", 0},
                                                   {"pictures_missing", 0},
                                                   {"errors_logged", 0},
                                                   {"container_faults", 0},
                                                   {"missing_seconds", 0.0},
                                                   {"lost", false},
                                                   {"notes", nlohmann::json::array()}}));
    EXPECT_TRUE(report.at("kept_part").is_null());
    std::set<std::string> stages;
    for (const auto& [name, stage] : report.at("stages").items()) {
        stages.insert(name);
        EXPECT_EQ(stage.at("items"), name == "read" ? stage.at("items") : nlohmann::json(20)) << name;
        for (const char* const key : {"working_seconds", "waiting_for_input_seconds", "waiting_for_output_seconds"}) {
            EXPECT_GE(stage.at(key), 0) << name;
            EXPECT_LE(stage.at(key), report.at("seconds").get<double>() + 0.05) << name;
        }
    }
    EXPECT_EQ(stages, (std::set<std::string>{"read", "decode", "filter", "encode", "write"}));
    EXPECT_TRUE(stages.contains(report.at("bound").get<std::string>()));
}

TEST_F(Reports, AReportHasItsSchema) {
    make_clip("in.mkv", 20);
    const Result result = vfilter("in.mkv out.mkv --gaussian 5 --report r.json --stats json");
    ASSERT_EQ(result.code, 0) << result;
    const nlohmann::json report = json_of("r.json");
    expect_report(report);
    EXPECT_GE(report.at("bytes_written"), std::filesystem::file_size(path("out.mkv")));
    expect_report(nlohmann::json::parse(result.out));
    const Result text = vfilter("in.mkv out.mkv -y --gaussian 5 --stats");
    EXPECT_EQ(text.out, "");
    for (const char* const stage : {"read", "decode", "filter", "encode", "write"}) {
        EXPECT_NE(text.err.find(stage), std::string::npos);
    }
}

// Also of a run that fails.
TEST_F(Reports, AFolderThatIsMissingIsToldBeforeTheWork) {
    make_clip("in.mp4", 5);
    write("file", "");
    for (const std::string option : {"--report none/r.json", "--trace none/t.json", "--report file/r.json"}) {
        for (const std::string output : {"out.mp4", "--output-dir done"}) {
            if (output != "out.mp4" && option.starts_with("--trace")) {
                continue;
            }
            const Result result = vfilter("in.mp4 " + output + " --gaussian 3 " + option);
            EXPECT_EQ(result.code, 4) << result;
            EXPECT_EQ(complaints(result).size(), 1U) << result;
            EXPECT_NE(result.err.find(option.find("none") != std::string::npos ? "the folder none: No such file"
                                                                               : "the folder file: Not a directory"),
                      std::string::npos)
                << result;
            EXPECT_EQ(names(), (std::vector<std::string>{"file", "in.mp4"})) << result;
        }
    }
}

// Whatever --log-level is, one file or many.
TEST_F(Reports, AReportHasAllThatIsWarnedOf) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:d=0.2 -f lavfi -i sine=d=0.2 -c:v ffv1 -c:a flac -metadata title=Sea in.mkv");
    ASSERT_EQ(vfilter("in.mkv out.mkv --gaussian 5 --report r.json").code, 0);
    EXPECT_EQ(json_of("r.json").at("warnings"), nlohmann::json::array());
    const Result told = vfilter("in.mkv out.y4m --gaussian 5 --report r.json --log-level warning");
    EXPECT_EQ(told.code, 0) << told;
    nlohmann::json warnings = json_of("r.json").at("warnings");
    EXPECT_EQ(json_of("r.json").at("warnings_more"), 0);
    ASSERT_EQ(warnings.size(), 2U) << told;
    for (const std::string warning : warnings) {
        EXPECT_NE(told.err.find("vfilter: " + warning + "\n"), std::string::npos) << told;
    }
    const Result quiet = vfilter("in.mkv out.y4m -y -q --gaussian 5 --stats json");
    EXPECT_EQ(quiet.err, "");
    EXPECT_EQ(nlohmann::json::parse(quiet.out).at("warnings"), warnings);
    ASSERT_EQ(vfilter("in.mkv --output-dir done --name '{stem}.y4m' -q --gaussian 5 --report r.json").code, 0);
    const nlohmann::json run = json_of("r.json").at("files").at(0).at("run");
    EXPECT_EQ(run.at("warnings").size(), 2U);
    EXPECT_EQ(run.at("warnings").at(0), warnings.at(0));
}

TEST_F(Reports, ANameThatIsTooLongIsToldBeforeTheWork) {
    make_clip("in.mp4", 5);
    const Result result = vfilter("in.mp4 out.mp4 --gaussian 3 --report " + std::string(300, 'x'));
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_EQ(complaints(result).size(), 1U) << result;
    EXPECT_EQ(names(), (std::vector<std::string>{"in.mp4"}));
}

TEST_F(Reports, AReportNamesTheError) {
    const Result result = vfilter("missing.mkv out.mkv --report r.json");
    EXPECT_EQ(result.code, 3);
    EXPECT_EQ(json_of("r.json").at("exit_code"), 3);
    EXPECT_NE(json_of("r.json").at("error").get<std::string>().find("missing.mkv"), std::string::npos);
}

// The first word of what sha256sum prints.
std::string sha256_of(const Result& result) {
    return result.out.substr(0, result.out.find(' '));
}

TEST_F(Reports, AnAuditHasSumsCommandHostAndTime) {
    make_clip("in.mkv", 20);
    make_clip("in.mp4", 20);
    for (const std::string name : {"in.mkv", "in.mp4"}) {
        for (const std::string more : {"", "--start 0.4", "--frames 3"}) {
            ASSERT_EQ(vfilter(fmt::format("{0} out-{0} -y -q --report r.json --gaussian 3 {1}", name, more)).code, 0);
            const nlohmann::json report = json_of("r.json");
            EXPECT_EQ(report.at("sha256").at("input"), sha256_of(run("sha256sum " + name))) << name << more;
            EXPECT_EQ(report.at("sha256").at("output"), sha256_of(run("sha256sum out-" + name))) << name << more;
            EXPECT_NE(report.at("command_line").get<std::string>().find("-q --report r.json"), std::string::npos);
            EXPECT_EQ(report.at("host").get<std::string>() + "\n", run("uname -n").out);
            EXPECT_LT(report.at("started"), report.at("ended"));
            EXPECT_TRUE(run("vfilter() { $VFILTER \"$@\"; }; vfilter --version")
                            .out.starts_with("vfilter " + report.at("vfilter").get<std::string>() + "\n"));
        }
    }
}

TEST_F(Reports, EachOfManyFilesHasItsSums) {
    make_clip("in.mkv", 5);
    make_clip("more.mkv", 6);
    ASSERT_EQ(vfilter("in.mkv more.mkv --output-dir done -q --report r.json --gaussian 3").code, 0);
    for (const nlohmann::json& file : json_of("r.json").at("files")) {
        const std::string input = file.at("run").at("input").at("file");
        EXPECT_EQ(file.at("run").at("sha256").at("input"), sha256_of(run("sha256sum " + input)));
        EXPECT_EQ(file.at("run").at("sha256").at("output"), sha256_of(run("sha256sum done/" + input)));
    }
}

TEST_F(Reports, PipesHaveSumsOfWhatPassed) {
    make_clip("in.mkv", 20);
    ASSERT_EQ(run("$VFILTER - - -q --report r.json --gaussian 3 < in.mkv > out.mkv").code, 0);
    EXPECT_EQ(json_of("r.json").at("sha256").at("input"), sha256_of(run("sha256sum in.mkv")));
    EXPECT_EQ(json_of("r.json").at("sha256").at("output"), sha256_of(run("sha256sum out.mkv")));
    // What was not read to its end has no sum.
    make_clip("in-long.mkv", 500);
    ASSERT_EQ(run("cat in-long.mkv | $VFILTER - out.mkv -y -q --report r.json --frames 2").code, 0);
    EXPECT_TRUE(json_of("r.json").at("sha256").at("input").is_null());
}

// Nothing was opened, and still it is known who wanted what.
TEST_F(Reports, AFullStandardOutputCostsNoReport) {
    make_clip("in.mp4", 10);
    const Result result = run("$VFILTER in.mp4 --format null --stats json --report r.json > /dev/full");
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_EQ(json_of("r.json").at("frames").at("in"), 10);
    EXPECT_EQ(json_of("r.json").at("exit_code"), 4);
    EXPECT_EQ(json_of("r.json").at("error"), "standard output cannot be written");
}

TEST_F(Reports, AFullDiskOfTheReportIsInWhatIsPrinted) {
    make_clip("in.mp4", 10);
    const Result result = run("$VFILTER in.mp4 --format null --stats json --report /dev/full > told.json");
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_EQ(json_of("told.json").at("exit_code"), 4);
    EXPECT_EQ(json_of("told.json").at("error"), "/dev/full: No space left on device");
}

TEST_F(Reports, AMistakeOfUsageHasItsReport) {
    const Result result = vfilter("in.mkv out.mkv --report r.json --gaussian 4");
    EXPECT_EQ(result.code, 2);
    const nlohmann::json report = json_of("r.json");
    EXPECT_EQ(report.at("exit_code"), 2);
    EXPECT_NE(report.at("error").get<std::string>().find("4 is even"), std::string::npos);
    EXPECT_EQ(report.at("command_line"), "vfilter in.mkv out.mkv --report r.json --gaussian 4");
    EXPECT_TRUE(report.at("sha256").at("input").is_null());
    EXPECT_LE(report.at("started"), report.at("ended"));
}

TEST_F(Reports, ATraceShowsEachFrameInEachStage) {
    make_clip("in.mkv", 20);
    EXPECT_EQ(vfilter("in.mkv out.mkv --gaussian 5 --trace t.json -q").code, 0);
    std::map<std::string, std::map<int, nlohmann::json>> spans;
    for (const nlohmann::json& event : json_of("t.json")) {
        if (event.at("ph") == "X") {
            EXPECT_GE(event.at("dur"), 0);
            EXPECT_TRUE(spans[event.at("name")].emplace(event.at("args").at("frame"), event).second) << event;
        }
    }
    const auto time = [&](const char* stage, int frame, double share) {
        const nlohmann::json& span = spans[stage].at(frame);
        return span.at("ts").get<double>() + share * span.at("dur").get<double>();
    };
    for (const char* const stage : {"decode", "filter", "encode", "write"}) {
        ASSERT_EQ(spans[stage].size(), 20U) << stage;
        EXPECT_EQ(spans[stage].begin()->first, 0) << stage;
        EXPECT_EQ(spans[stage].rbegin()->first, 19) << stage;
    }
    for (int frame = 0; frame < 20; ++frame) {
        EXPECT_LE(time("decode", frame, 0), time("filter", frame, 1));
        EXPECT_LE(time("filter", frame, 0), time("encode", frame, 1));
        EXPECT_LE(time("encode", frame, 0), time("write", frame, 1));
    }
}

TEST_F(Reports, VerificationIsCountedAndTold) {
    make_clip("in.mkv", 20);
    const nlohmann::json report = filter("in.mkv out.mkv --gaussian 5:chroma=same --verify");
    const nlohmann::json& verify = report.at("verify");
    EXPECT_GE(verify.at("frames"), 1);
    EXPECT_GE(verify.at("samples"), 160 * 120 * 3 / 2);
    EXPECT_EQ(verify.at("off_by_one"), 0) << "a size of 5 is dyadic";
    EXPECT_NE(report.at("stderr").dump().find("verified"), std::string::npos);
    EXPECT_FALSE(filter("in.mkv out.mkv --gaussian 5").contains("verify"));
}

}  // namespace

}  // namespace vfilter::test
