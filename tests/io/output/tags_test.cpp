// Which tags tell where somebody was.

#include "io/output/tags.h"

#include <gtest/gtest.h>

namespace vfilter {
namespace {

TEST(Tags, TellPlacesByNameOrValue) {
    for (const char* const key : {"location", "location-eng", "com.apple.quicktime.location.ISO6709", "GPSLatitude",
                                  "RECORDING_LOCATION", "xyz"}) {
        EXPECT_TRUE(tells_place(key, "?")) << key;
    }
    for (const char* const value : {"+48.1372+011.5756/", "-33.8688+151.2093+005.000/", "+48+011"}) {
        EXPECT_TRUE(tells_place("comment", value)) << value;
    }
    for (const char* const value : {"", "+1", "+1.5+2", "2026-11-22", "+49 89 123456", "a+48.1+011.5/"}) {
        EXPECT_FALSE(tells_place("comment", value)) << value;
    }
}

class CopiedTags : public ::testing::Test {
protected:
    CopiedTags() {
        av_dict_set(&from_, "title", "One", 0);
        av_dict_set(&from_, "location", "+48.1+011.5/", 0);
        av_dict_set(&from_, "encoder", "old", 0);
    }
    ~CopiedTags() override { av_dict_free(&from_); }
    [[nodiscard]] int count(Coded coded, Strip strip) const {
        AVDictionary* to = nullptr;
        copy_tags(to, from_, coded, strip);
        const int count = av_dict_count(to);
        av_dict_free(&to);
        return count;
    }

    AVDictionary* from_ = nullptr;
};

TEST_F(CopiedTags, GoWithWhatIsStripped) {
    EXPECT_EQ(count(Coded::as_before, Strip::nothing), 3);
    EXPECT_EQ(count(Coded::anew, Strip::nothing), 2);
    EXPECT_EQ(count(Coded::anew, Strip::places), 1);
    EXPECT_EQ(count(Coded::anew, Strip::tags), 0);
    EXPECT_EQ(count(Coded::as_before, Strip::extras), 0);
}

TEST_F(CopiedTags, AreSetAndRemoved) {
    set_tags(from_, {{"TITLE", ""}, {"artist", "Me"}});
    EXPECT_EQ(av_dict_get(from_, "title", nullptr, 0), nullptr);
    ASSERT_NE(av_dict_get(from_, "artist", nullptr, 0), nullptr);
    EXPECT_STREQ(av_dict_get(from_, "artist", nullptr, 0)->value, "Me");
}

}  // namespace
}  // namespace vfilter
