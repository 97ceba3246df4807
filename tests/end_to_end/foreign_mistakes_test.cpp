// Mistakes in graphs of libavfilter's (--vf): exit code 2, one line with the filter's name, and no file.

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

struct WrongGraph {
    std::string name;
    std::string arguments;
    std::vector<std::string> told;  // on the one line
    bool needs_size = false;        // of the pictures, to be seen
    std::string prepare = ":";      // a line of bash
};

std::ostream& operator<<(std::ostream& stream, const WrongGraph& graph) {
    return stream << graph.name;
}

class WrongGraphs : public EndToEnd, public testing::WithParamInterface<WrongGraph> {};

TEST_P(WrongGraphs, AreToldInOneLineAndLeaveNoFile) {
    const WrongGraph& graph = GetParam();
    if (graph.needs_size) {
        make_clip("in.mkv", 5);
    } else {
        write("in.mkv", "no video");  // which is not even opened: that would be 3
    }
    ASSERT_EQ(run(graph.prepare).code, 0);
    const std::vector<std::string> before = names();
    const Result result = vfilter("in.mkv out.mkv " + graph.arguments);
    EXPECT_EQ(result.code, 2) << result;
    EXPECT_EQ(complaints(result).size(), 1U) << result;
    for (const std::string& words : graph.told) {
        EXPECT_NE(result.err.find(words), std::string::npos) << "'" << words << "' is not in:\n" << result;
    }
    EXPECT_EQ(before, names());
}

const WrongGraph wrong_graphs[] = {
    {"UnknownFilter", "--vf hqdn3", {"hqdn3", "'hqdn3d'"}},
    {"FilterOfOurs", "--vf gaussian=5", {"--gaussian"}},
    {"UnknownArgument", "--vf scale=foo=1", {"--vf scale=foo=1", "scale: ", "'foo'"}},
    {"WrongValue", "--vf 'scale=('", {"scale: ", "'('"}},
    {"WrongSecondFilter", "--vf null,transpose=dir=sideways", {"transpose: ", "sideways"}},
    {"Empty", "--vf ' '", {"empty"}},
    {"TwoInputs", "--vf overlay", {"overlay", "several open inputs"}},
    {"TwoOutputs", "--vf split", {"split", "several open outputs"}},
    {"NoInput", "--vf testsrc", {"an open input"}},
    {"NoOutput", "--vf nullsink", {"an open output"}},
    {"Sound", "--vf anull", {"'anull'", "no filter of pictures"}},
    {"Device", "--vf format=nv12,hwupload", {"'hwupload'"}},
    {"Files", "--vf lut3d=a.cube", {"'lut3d'", "--allow-files"}},
    {"Libraries", "--vf frei0r=glow", {"'frei0r'", "--allow-files"}},
    {"Addresses", "--vf 'movie=a.mkv[x];[x]overlay' --allow-files", {"'movie'", "--allow-network"}},
    {"InAChain", "--filters gaussian=5,vf=null", {"--vf GRAPH"}},
    {"TooMany", "$(for i in $(seq 33); do printf ' --vf null'; done)", {"more than 32 times"}},
    {"NoGraphInAFile",
     "--config chain.toml",
     {"chain.toml:1:1", "needs a graph"},
     false,
     "printf '[[filter]]\\nname = \"vf\"\\n' > chain.toml"},
    {"ArgumentInAFile",
     "--config chain.toml",
     {"chain.toml:4:", "'size'"},
     false,
     "printf '[[filter]]\\nname = \"vf\"\\ngraph = \"null\"\\nsize = 3\\n' > chain.toml"},
    {"CropLargerThanThePicture", "--vf crop=5000:100", {"crop: ", "'5000'"}, true},
    {"RegionAfterAGraph", "--vf scale=80:60 --gaussian 5:region=100,0,20,20", {"gaussian: ", "80x60"}, true},
};

INSTANTIATE_TEST_SUITE_P(Graphs, WrongGraphs, testing::ValuesIn(wrong_graphs),
                         [](const testing::TestParamInfo<WrongGraph>& row) { return row.param.name; });

}  // namespace

}  // namespace vfilter::test
