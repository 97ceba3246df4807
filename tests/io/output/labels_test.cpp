// What of tags a file does not hold.

#include "io/output/labels.h"

#include <gtest/gtest.h>

namespace vfilter {
namespace {

using Lost = std::vector<std::string>;

Lost lost(const Tags& sent, const Tags& found, const Tags& of_stream = {}) {
    const DescriptionPtr file(avformat_alloc_context());
    avformat_new_stream(file.get(), nullptr)->codecpar->codec_type = AVMEDIA_TYPE_VIDEO;
    for (const auto& [key, value] : found) {
        av_dict_set(&file->metadata, key.c_str(), value.c_str(), 0);
    }
    Labels labels{.tags = sent, .streams = {}, .chapters = {}};
    labels.streams.push_back({.type = AVMEDIA_TYPE_VIDEO, .tags = of_stream});
    return lost_labels(labels, *file);
}

TEST(Labels, EachTagIsWhatBecameOfOne) {
    EXPECT_EQ(lost({{"ARTIST", "Ann"}, {"COMPOSER", "Ann"}, {"DIRECTOR", "Ann"}}, {{"artist", "Ann"}}),
              (Lost{"COMPOSER", "DIRECTOR"}));
    EXPECT_EQ(lost({{"COMPOSER", "Ann"}, {"ARTIST", "Ann"}}, {{"artist", "Ann"}}), Lost{"COMPOSER"}) << "in any order";
    EXPECT_EQ(lost({{"title", "A"}}, {{"handler_name", "A"}}), Lost()) << "under another name";
    EXPECT_EQ(lost({}, {{"handler_name", "A"}}, {{"title", "A"}, {"handler_name", "A"}}), Lost());
    EXPECT_EQ(lost({{"title", "A"}, {"comment", "A"}}, {{"title", "A"}, {"description", "A"}}), Lost());
    EXPECT_EQ(lost({{"timecode", "01:00:00:00"}}, {{"TIMECODE", "01:00:00:00"}}, {{"timecode", "01:00:00:00"}}), Lost())
        << "of the file, and of the stream";
    EXPECT_EQ(lost({{"date", "2020"}, {"date-eng", "2020"}}, {{"date", "2020"}}), Lost()) << "of one language";
}

TEST(Labels, TimesAreWrittenInMoreThanOneWay) {
    const std::string found = "2015-09-30T10:11:12.000000Z";
    EXPECT_EQ(lost({{"CREATION_TIME", "2015-09-30 10:11:12"}}, {{"creation_time", found}}), Lost());
    EXPECT_EQ(lost({{"creation_time", "2015-09-30T12:11:12+02:00"}}, {{"creation_time", found}}), Lost());
    EXPECT_EQ(lost({{"creation_time", "2015-09-30T10:11:13Z"}}, {{"creation_time", found}}), Lost{"creation_time"});
    EXPECT_EQ(lost({{"creation_time", found}}, {{"artist", "Ann"}}), Lost{"creation_time"});
}

// The file mostly says the same, or some seconds beside it.
TEST(Labels, OfStreamsTellWhenTheyWereMadeWhereTheFileDoesNot) {
    const Tags sent{{"creation_time", "2015-09-30T10:11:12.000000Z"}};
    const Tags later{{"creation_time", "2015-09-30T10:11:13.000000Z"}};
    EXPECT_EQ(lost(sent, sent, later), Lost());
    EXPECT_EQ(lost({}, {}, sent), Lost{"creation_time of stream 0"});
    EXPECT_EQ(lost({}, sent, sent), Lost());
}

TEST(Labels, StatisticsOfAnyLanguageAreOfTheOldFile) {
    EXPECT_EQ(lost({}, {}, {{"DURATION-eng", "00:00:01"}, {"BPS-eng", "12"}, {"vendor_id-ger", "x"}}), Lost());
    EXPECT_EQ(lost({}, {}, {{"title-eng", "A"}}), Lost{"title-eng of stream 0"});
}

}  // namespace
}  // namespace vfilter
