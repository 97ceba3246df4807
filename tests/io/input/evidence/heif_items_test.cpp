// Files of pictures without a movie: AVIF and HEIC.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "io/compat.h"
#include "io/input/evidence/container_scan.h"

namespace vfilter {
namespace {

std::string number(std::uint64_t value, int size) {
    std::string bytes;
    for (int shift = 8 * (size - 1); shift >= 0; shift -= 8) {
        bytes += static_cast<char>(value >> shift & 0xFF);
    }
    return bytes;
}

std::string box(const std::string& type, const std::string& payload) {
    return number(payload.size() + 8, 4) + type + payload;
}

std::string entry(int id, const std::string& type, bool hidden = false) {
    return box("infe", number(2, 1) + number(hidden ? 1 : 0, 3) + number(id, 2) + number(0, 2) + type + '\0');
}

// `references` are boxes of iref. Each item has 100 bytes of data.
std::string heif(const std::vector<std::string>& entries, const std::string& references = "",
                 const std::string& properties = "") {
    const auto meta_with = [&](std::size_t data) {
        std::string places = number(0, 4) + number(0x4400, 2) + number(entries.size(), 2);
        std::string all;
        for (std::size_t i = 0; i < entries.size(); ++i) {
            places += number(i + 1, 2) + number(0, 2) + number(1, 2) + number(data + 100 * i, 4) + number(100, 4);
            all += entries[i];
        }
        return box("meta", number(0, 4) + box("hdlr", number(0, 8) + "pict" + std::string(13, '\0')) +
                               box("pitm", number(0, 4) + number(1, 2)) + box("iloc", places) +
                               box("iinf", number(0, 4) + number(entries.size(), 2) + all) +
                               (references.empty() ? "" : box("iref", number(0, 4) + references)) +
                               box("iprp", box("ipco", properties)));
    };
    const std::string head = box("ftyp", "avif" + number(0, 4) + "avifmif1");
    const std::size_t data = head.size() + meta_with(0).size() + 8;
    return head + meta_with(data) + box("mdat", std::string(100 * entries.size(), 'x'));
}

std::string reference(const std::string& type, int from, int to) {
    return box(type, number(from, 2) + number(1, 2) + number(to, 2));
}

std::vector<std::string> faults_of(const std::string& file) {
    ScanFeeder feeder(make_container_scan("mov,mp4,m4a,3gp,3g2,mj2"));
    feeder.feed(0, {reinterpret_cast<const std::uint8_t*>(file.data()), file.size()});
    feeder.finish(static_cast<std::int64_t>(file.size()), {});
    EXPECT_TRUE(feeder.complete());
    std::vector<std::string> faults;
    for (const ContainerFault& fault : feeder.scan().faults()) {
        faults.push_back(fault.what);
    }
    return faults;
}

using Faults = std::vector<std::string>;

TEST(HeifItems, OfAWholePictureAreSilent) {
    EXPECT_EQ(faults_of(heif({entry(1, "av01")})), Faults());
    // Its thumbnail is the same picture, and parts of it are no pictures of their own.
    EXPECT_EQ(faults_of(heif({entry(1, "av01"), entry(2, "av01")}, reference("thmb", 2, 1))), Faults());
    EXPECT_EQ(faults_of(heif({entry(1, "grid"), entry(2, "av01"), entry(3, "av01", true)}, reference("dimg", 1, 2))),
              Faults());
    EXPECT_EQ(faults_of(heif({entry(1, "av01"), entry(2, "Exif")})), Faults());
}

TEST(HeifItems, ThatWereCutAreTold) {
    const std::string whole = heif({entry(1, "av01")});
    for (std::size_t size = 60; size < whole.size(); size += 7) {
        EXPECT_FALSE(faults_of(whole.substr(0, size)).empty()) << size;
    }
    // Boxes that fit together, and less data than the table says.
    std::string shorter = whole.substr(0, whole.size() - 30);
    shorter.replace(whole.size() - 108, 4, number(78, 4));
    EXPECT_EQ(faults_of(shorter), Faults{"data of a picture outside of the file"});
    std::string without = whole;
    without.replace(without.find("iloc"), 4, "free");
    without.replace(without.find("iinf"), 4, "free");
    EXPECT_EQ(faults_of(without), Faults{"a table of pictures that cannot be read"});
}

TEST(HeifItems, ThatAreNotReadAreTold) {
    if (reads_every_heif_item) {
        GTEST_SKIP() << "this FFmpeg makes a stream of each";
    }
    EXPECT_EQ(faults_of(heif({entry(1, "av01"), entry(2, "av01")})), Faults{std::string(another_picture)});
    const std::string alpha = box("auxC", number(0, 4) + "urn:mpeg:mpegB:cicp:systems:auxiliary:alpha" + '\0');
    EXPECT_EQ(faults_of(heif({entry(1, "av01"), entry(2, "av01")}, reference("auxl", 2, 1), alpha)),
              Faults{"alpha, which is not read,"});
    // What else goes with a picture, such as its depth, is none that is seen.
    EXPECT_EQ(faults_of(heif({entry(1, "av01"), entry(2, "av01")}, reference("auxl", 2, 1))), Faults());
}

// As pictures that are put together of tiles do.
TEST(HeifItems, MayLieInTheBoxItself) {
    std::string file = heif({entry(1, "grid"), entry(2, "av01"), entry(3, "av01")}, reference("dimg", 1, 2));
    // Version 1, whose first item says that it lies there.
    const std::size_t places = file.find("iloc");
    std::string made = number(1, 1) + number(0, 3) + number(0x4400, 2) + number(3, 2);
    for (int id = 1; id <= 3; ++id) {
        made += number(id, 2) + number(id == 1 ? 1 : 0, 2) + number(0, 2) + number(1, 2) +
                number(id == 2 ? 1 << 20 : 0, 4) + number(8, 4);
    }
    const std::size_t size = 4 + 2 + 2 + 3 * 14;
    file.replace(places - 4, size + 8, box("iloc", made));
    const std::size_t meta = file.find("meta");
    file.replace(meta - 4, 4, number(file.find("mdat") - meta, 4));
    const Faults faults = faults_of(file);
    EXPECT_NE(std::ranges::find(faults, "data of a picture outside of the file"), faults.end());
}

TEST(HeifItems, AreNotSoughtInOtherBoxes) {
    std::string tags = heif({entry(1, "av01")});
    tags.replace(tags.find("pict"), 4, "mdta");
    EXPECT_EQ(faults_of(tags), Faults{"no movie box"});
}

}  // namespace
}  // namespace vfilter
