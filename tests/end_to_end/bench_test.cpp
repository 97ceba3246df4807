// vfilter-bench from outside: what it measures of a video, what it writes, what it says to mistakes. No figure of speed
// is judged.

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class BenchProgram : public EndToEnd {
protected:
    [[nodiscard]] Result bench(const std::string& arguments) const {
        return run("\"$(dirname \"$VFILTER\")/vfilter-bench\" " + arguments);
    }
};

TEST_F(BenchProgram, MeasuresEveryPartOfARun) {
    make_clip("in.mp4", 30);
    const Result result = bench("pipeline --clip in.mp4 --device cpu --quick --json r.json --html r.html --svg .");
    ASSERT_EQ(result.code, 0) << result;
    EXPECT_NE(result.out.find("decode only"), std::string::npos);
    EXPECT_NE(result.err.find("in.mp4: encode only"), std::string::npos) << "no progress";
    const nlohmann::json section = json_of("r.json").at("sections").at(0);
    EXPECT_EQ(section.at("key"), "pipeline");
    int whole = 0;
    for (const nlohmann::json& row : section.at("tables").at(0).at("rows")) {
        EXPECT_GT(row.at("fps").at("median"), 0) << row;
        whole += row.at("what").get<std::string>().starts_with("whole") ? 1 : 0;
    }
    EXPECT_GE(whole, 10) << "vfilter's and ffmpeg's";
    EXPECT_NE(content("r.html").find("<svg"), std::string::npos);
    EXPECT_NE(content("pipeline_in_mp4.svg").find("<svg"), std::string::npos);

    // The figures alone make the same page.
    ASSERT_EQ(bench("--from r.json --html again.html").code, 0);
    EXPECT_EQ(content("again.html"), content("r.html"));
}

TEST_F(BenchProgram, TellsMistakesBeforeItMeasures) {
    struct Mistake {
        const char* arguments;
        int code;
        const char* text;
    };
    const Mistake mistakes[] = {
        {"kernel", 2, "no part 'kernel': pipeline, kernels, ladder, sweep"},
        {"--device gpu", 2, "auto, cpu, cuda or cuda:N"},
        {"pipeline --size 1440p", 2, "720p, 1080p or 2160p"},
        {"pipeline --clip missing.mp4", 2, "missing.mp4"},
        {"kernels --quick --device cpu --json missing/r.json", 2, "missing/r.json: cannot be written"},
        {"ladder --device cuda:99", 6, "--device cuda:99: "},
        {"--from broken.json --html r.html", 1, "broken.json"},
    };
    write("broken.json", "{");
    for (const Mistake& mistake : mistakes) {
        const Result result = bench(mistake.arguments);
        EXPECT_EQ(result.code, mistake.code) << mistake.arguments << '\n' << result;
        EXPECT_NE(result.err.find(mistake.text), std::string::npos) << mistake.arguments << '\n' << result;
        EXPECT_EQ(result.out, "") << mistake.arguments;
    }
    EXPECT_FALSE(exists("r.html"));
}

}  // namespace

}  // namespace vfilter::test
