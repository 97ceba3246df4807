// What a killed run has left of an mp4, made playable.

#include "io/output/part_index.h"
#include "io/output/part_mending.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>

#include "io/output/memory_output.h"
#include "io/output/output_streams.h"
#include "tests/support/clips.h"

namespace vfilter {
namespace {

// Ten pictures of a second each, and a cover; chapters of six seconds.
const auto go_on = [] { return false; };

class PartIndexTest : public ::testing::Test {
protected:
    void SetUp() override {
        MemoryOutput output(*av_guess_format("mp4", nullptr, nullptr));
        for (const bool cover : {false, true}) {
            AVStream* const stream = avformat_new_stream(&output.context(), nullptr);
            ASSERT_NE(stream, nullptr);
            stream->codecpar->codec_type = AVMEDIA_TYPE_VIDEO;
            stream->codecpar->codec_id = cover ? AV_CODEC_ID_PNG : AV_CODEC_ID_MPEG4;
            stream->codecpar->width = 64;
            stream->codecpar->height = 48;
            stream->time_base = {1, 1000};
            stream->disposition = cover ? AV_DISPOSITION_ATTACHED_PIC : 0;
        }
        for (int i = 0; i < 3; ++i) {
            AVChapter& chapter = add_chapter(output.context());
            chapter.time_base = {1, 1};
            chapter.start = 6 * i;
            chapter.end = 6 * i + 6;
            av_dict_set(&chapter.metadata, "title", ("Part " + std::to_string(i)).c_str(), 0);
        }
        std::vector<PacketPtr> covers;
        covers.push_back(make_packet());
        ASSERT_GE(av_new_packet(covers.back().get(), static_cast<int>(picture_.size())), 0);
        std::ranges::copy(picture_, covers.back()->data);
        covers.back()->stream_index = 1;

        std::ofstream(part_) << std::string(1000, 'p');
        PartIndex index(part_, output.context(), covers);
        const PacketPtr packet = make_packet();
        for (int i = 0; i < 10; ++i) {
            packet->pts = packet->dts = 1000 * i;
            packet->duration = 1000;
            packet->flags = AV_PKT_FLAG_KEY;
            index.add(*packet, 100 * i, 100);
        }
        index.keep();
    }

    // Opens what was mended.
    [[nodiscard]] InputContextPtr mended() const {
        OutputOptions options;
        options.path = folder_ / "out.mp4";
        options.overwrite = Overwrite::yes;
        const std::optional<Mended> made = mend(part_, options, go_on);
        EXPECT_TRUE(made && made->whole && made->left_out == 0);
        EXPECT_NEAR(made ? made->seconds : 0, 10, 1e-9);
        AVFormatContext* opened = nullptr;
        EXPECT_EQ(avformat_open_input(&opened, options.path.c_str(), nullptr, nullptr), 0);
        return InputContextPtr(opened);
    }

    testing::Folder folder_;
    std::string part_ = folder_ / "a.part";
    std::string picture_ = "\x89PNG\r\n\x1a\nand then any bytes";  // by which readers tell what it is
};

TEST_F(PartIndexTest, ChaptersAndCoversAreMendedToo) {
    const InputContextPtr format = mended();
    ASSERT_TRUE(format);
    ASSERT_EQ(format->nb_chapters, 2U) << "what begins behind the end is left out";
    const AVChapter& last = *format->chapters[1];
    EXPECT_STREQ(av_dict_get(last.metadata, "title", nullptr, 0)->value, "Part 1");
    EXPECT_NEAR(static_cast<double>(last.start) * av_q2d(last.time_base), 6, 1e-9);
    EXPECT_NEAR(static_cast<double>(last.end) * av_q2d(last.time_base), 10, 1e-9);
    const AVStream* cover = nullptr;
    for (unsigned i = 0; i < format->nb_streams; ++i) {
        cover = (format->streams[i]->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0 ? format->streams[i] : cover;
    }
    ASSERT_NE(cover, nullptr);
    EXPECT_EQ(cover->codecpar->codec_id, AV_CODEC_ID_PNG);
    EXPECT_EQ(std::string(cover->attached_pic.data, cover->attached_pic.data + cover->attached_pic.size), picture_);
}

// As it is where the end comes before the first packets are noted.
TEST_F(PartIndexTest, NothingIsMendedWithoutAPicture) {
    const std::string index = index_of(part_);
    constexpr std::size_t of_packets = 10 * 48;
    std::filesystem::resize_file(index, std::filesystem::file_size(index) - of_packets);
    OutputOptions options;
    options.path = folder_ / "out.mp4";
    options.overwrite = Overwrite::yes;
    std::ofstream(options.path) << "old";
    EXPECT_THROW(mend(part_, options, go_on), Error);
    std::string old;
    std::ifstream(options.path) >> old;
    EXPECT_EQ(old, "old");
    std::ofstream(index, std::ios::app) << std::string(48, '\0');
    EXPECT_THROW(mend(part_, options, go_on), Error) << "a record that is none";
}

// As a power cut leaves it, of a file system that has not written it all.
TEST_F(PartIndexTest, ACutOneIsTold) {
    const std::string index = index_of(part_);
    std::filesystem::resize_file(index, std::filesystem::file_size(index) - 100);
    OutputOptions options;
    options.path = folder_ / "out.mp4";
    const std::optional<Mended> torn = mend(part_, options, go_on);
    ASSERT_TRUE(torn);
    EXPECT_FALSE(torn->whole) << "the last record has 44 bytes";
    EXPECT_NEAR(torn->seconds, 7, 1e-9);
    EXPECT_EQ(torn->left_out, 300);

    std::filesystem::resize_file(index, std::filesystem::file_size(index) - 44);
    options.overwrite = Overwrite::yes;
    EXPECT_TRUE(mend(part_, options, go_on)->whole) << "records that had not been written yet";
    std::filesystem::resize_file(part_, 4'000'000);
    const std::optional<Mended> short_one = mend(part_, options, go_on);
    EXPECT_FALSE(short_one->whole) << "more than ever waits to be written";
    EXPECT_EQ(short_one->left_out, 4'000'000 - 700);
}

TEST_F(PartIndexTest, NothingIsLeftOfAMendingThatIsStopped) {
    OutputOptions options;
    options.path = folder_ / "out.mp4";
    for (const int packets : {0, 5, 10, 11}) {
        int asked = 0;
        EXPECT_FALSE(mend(part_, options, [&] { return asked++ >= packets; })) << packets;
        EXPECT_EQ(std::ranges::count_if(std::filesystem::directory_iterator(folder_.path()),
                                        [](const auto&) { return true; }),
                  2)
            << "the .part and its index";
    }
}

TEST_F(PartIndexTest, OneOfAnotherVersionIsToldAsSuch) {
    const std::string index = index_of(part_);
    std::fstream(index, std::ios::binary | std::ios::in | std::ios::out) << "vfilter part index 1\n";
    OutputOptions options;
    options.path = folder_ / "out.mp4";
    try {
        mend(part_, options, go_on);
        ADD_FAILURE() << "it was mended";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::input);
        EXPECT_EQ(error.what(), index + ": is of another version of vfilter, by which alone it can be mended");
    }
    EXPECT_FALSE(std::filesystem::exists(options.path));
}

TEST_F(PartIndexTest, AnyDamageOfTheHeadIsFound) {
    const std::string index = index_of(part_);
    std::ifstream file(index, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(file)), {});
    const std::size_t at = bytes.find("Part 1");
    ASSERT_NE(at, std::string::npos);
    OutputOptions options;
    options.path = folder_ / "out.mp4";
    for (const std::size_t damaged : {at - 4, at - 3, at + 2, bytes.find(picture_) - 1}) {
        std::string other = bytes;
        other[damaged] = '\x7f';
        std::ofstream(index, std::ios::binary) << other;
        EXPECT_THROW(mend(part_, options, go_on), Error) << damaged;
        EXPECT_FALSE(std::filesystem::exists(options.path));
    }
}

}  // namespace
}  // namespace vfilter
