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
    const Result result = bench("pipeline --clip in.mp4 --device cpu --quick --json r.json");
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
}

TEST_F(BenchProgram, TellsMistakesBeforeItMeasures) {
    struct Mistake {
        const char* arguments;
        int code;
        const char* text;
    };
    const Mistake mistakes[] = {
        {"kernel", 2, "no part 'kernel': pipeline, kernels, sweep"},
        {"--device gpu", 2, "auto, cpu, cuda or cuda:N"},
        {"pipeline --size 1440p", 2, "720p, 1080p or 2160p"},
        {"pipeline --clip missing.mp4", 2, "missing.mp4"},
        {"kernels --quick --device cpu --json missing/r.json", 2, "missing/r.json: cannot be written"},
        {"sweep --device cuda:99", 6, "--device cuda:99: "},
    };
    for (const Mistake& mistake : mistakes) {
        const Result result = bench(mistake.arguments);
        EXPECT_EQ(result.code, mistake.code) << mistake.arguments << '\n' << result;
        EXPECT_NE(result.err.find(mistake.text), std::string::npos) << mistake.arguments << '\n' << result;
        EXPECT_EQ(result.out, "") << mistake.arguments;
    }
}

}  // namespace

}  // namespace vfilter::test
