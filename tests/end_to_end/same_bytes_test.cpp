// The same bytes, whatever computes them and whenever.

#include <fmt/format.h>

#include <sstream>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class SameBytes : public EndToEnd {};

TEST_F(SameBytes, OfEachInstructionSet) {
    make_clip("in.mkv", 5);
    const std::string listed = vfilter("--list devices").out;
    const std::size_t begin = listed.find("SIMD: ");
    ASSERT_NE(begin, std::string::npos) << listed;
    std::istringstream names(listed.substr(begin + 6, listed.find('\n', begin) - begin - 6));
    std::vector<std::string> wanted;
    int sets = 0;
    for (std::string name; std::getline(names, name, ',');) {
        name.erase(0, name.find_first_not_of(' '));
        SCOPED_TRACE(name);
        const Result result =
            run(fmt::format("VFILTER_SIMD={} exec $VFILTER in.mkv out.mkv -y --device cpu --codec ffv1 "
                            "--gaussian 9 --median 5 --sharpen 0.8",
                            name));
        ASSERT_EQ(result.code, 0) << result;
        EXPECT_TRUE(says(result, fmt::format("cpu ({}, ", name))) << result;
        const std::vector<std::string> hashes = picture_hashes("out.mkv");
        EXPECT_EQ(hashes.size(), 5U);
        wanted = wanted.empty() ? hashes : wanted;
        EXPECT_EQ(hashes, wanted);
        ++sets;
    }
    EXPECT_GE(sets, 2) << listed;
    const Result none = run("VFILTER_SIMD=nonsense exec $VFILTER in.mkv out.mkv -y");
    EXPECT_EQ(none.code, 2) << none;
    EXPECT_TRUE(says(none, "VFILTER_SIMD: ")) << none;
}

// Matroska has a number drawn at random otherwise.
TEST_F(SameBytes, OfMatroskaWithTheFlagThatAsksForThem) {
    make_clip("in.mkv", 5);
    std::vector<std::string> files;
    for (const std::string options : {"", "", " --muxer-option fflags=+bitexact", " --muxer-option fflags=+bitexact"}) {
        ASSERT_EQ(vfilter("in.mkv out.mkv -y --box 3" + options).code, 0);
        files.push_back(content("out.mkv"));
    }
    EXPECT_FALSE(files.at(0) == files.at(1)) << "then the option does nothing, and the page can do without it";
    EXPECT_TRUE(files.at(2) == files.at(3));
}

// x264 has AVX2 where a picture is no multiple of 128 wide, unless it is told otherwise.
TEST_F(SameBytes, OfX264AreNotAskedForWithAvx512) {
    if (run("grep -q avx512bw /proc/cpuinfo").code != 0) {
        GTEST_SKIP() << "this processor has no AVX-512";
    }
    make_clip("in.mkv", 5);
    const auto avx512 = [&](const std::string& more) {
        const Result result = vfilter("in.mkv out.mkv -y --log-level debug --codec libx264 " + more);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_TRUE(says(result, "using cpu capabilities: ")) << result;
        return says(result, " AVX512");
    };
    EXPECT_FALSE(avx512("--box 3"));
    EXPECT_TRUE(avx512("--box 3 --encoder-option x264-params=asm=avx512"));
    EXPECT_TRUE(avx512("--vf scale=256:128"));
}

}  // namespace

}  // namespace vfilter::test
