// Inputs that change while they are read, and those that are there and cannot be looked at.

#include "tests/support/faults.h"

namespace vfilter::test {

namespace {

class ChangingInputs : public Faults {
protected:
    // A run that has read the beginning of in.ts alone, as nobody takes its pictures yet.
    [[nodiscard]] Result run_while(const std::string& change) const {
        return run(
            fmt::format("mkfifo out.y4m; exec 3<>out.y4m; $VFILTER in.ts out.y4m --gaussian 3 --threads 1 "
                        "--report r.json --progress none & sleep 1; {}; cat out.y4m > /dev/null & exec 3>&-; "
                        "wait %1",
                        change));
    }
    void make_transport_stream() const {
        ffmpeg("-f lavfi -i testsrc2=s=640x360:r=25:d=24 -c:v mpeg2video -q:v 2 -g 12 in.ts");
    }
};

// MPEG-TS that ends with a packet looks whole.
TEST_F(ChangingInputs, ThatBecomeShorterAreDamaged) {
    make_transport_stream();
    const auto size = static_cast<long>(content("in.ts").size()) / 188 / 2 * 188;
    const Result result = run_while(fmt::format("truncate -s {} in.ts", size));
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_TRUE(says(result, "the file became shorter by")) << result;
    EXPECT_GE(json_of("r.json").at("damage").at("container_faults"), 1);
    EXPECT_LT(json_of("r.json").at("frames").at("out"), 600);
}

TEST_F(ChangingInputs, ThatAreWrittenToAreTold) {
    make_transport_stream();
    const Result result = run_while("cp in.ts b.ts; cat b.ts b.ts > in.ts");
    EXPECT_TRUE(says(result, "in.ts: was written to while it was being read")) << result;
    EXPECT_TRUE(json_of("r.json").at("sha256").at("input").is_null());
}

TEST_F(ChangingInputs, PicturesThatCannotBeLookedAtAreMissing) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 5 p_%02d.png");
    for (const std::string number : {"03", "05"}) {
        ASSERT_EQ(run("mv p_" + number + ".png aside; ln -s nowhere p_" + number + ".png").code, 0);
        for (const std::string input : {"p_%02d.png", "'p_*.png'"}) {
            const Result result = vfilter(input + " out.mkv -y --codec ffv1");
            EXPECT_EQ(result.code, 5) << result;
            EXPECT_TRUE(says(result, "p_" + number + ".png: No such file or directory")) << result;
            EXPECT_EQ(count_pictures("out.mkv"), 4);
        }
        ASSERT_EQ(run("mv aside p_" + number + ".png").code, 0);
    }
}

// Another mask in its place would show what was to be hidden.
TEST_F(ChangingInputs, MasksThatCannotBeLookedAtEndTheRun) {
    make_clip("in.mkv", 5);
    ffmpeg("-f lavfi -i color=white:s=64x48 -frames:v 3 -pix_fmt gray m%02d.png");
    std::filesystem::create_symlink("nowhere", path("m04.png"));
    const Result result = vfilter("in.mkv out.mkv -q --gaussian 9:mask=m%02d.png");
    EXPECT_EQ(result.code, 3) << result;
    EXPECT_TRUE(says(result, "m04.png: No such file or directory")) << result;
    EXPECT_FALSE(exists("out.mkv"));
}

}  // namespace

}  // namespace vfilter::test
