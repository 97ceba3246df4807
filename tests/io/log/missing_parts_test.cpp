// What is made of the lines that FFmpeg's demuxers of playlists log.

#include "io/log/missing_parts.h"

#include <gtest/gtest.h>

namespace vfilter {
namespace {

using Notes = std::vector<std::string>;

TEST(MissingPartsTest, ASegmentIsMissingWhenTheNextOneIsAskedFor) {
    MissingParts parts;
    parts.hear("HLS request for url 'http://host/1.ts', offset 0, playlist 0");
    parts.hear("HTTP error 500 Internal Server Error");
    parts.hear("Failed to open segment 1 of playlist 0");
    EXPECT_FALSE(parts.take().any());
    parts.hear("HLS request for url 'http://host/a.aac', offset 0, playlist 1");
    EXPECT_FALSE(parts.take().any()) << "of another playlist";
    parts.hear("HLS request for url 'http://host/2.ts', offset 0, playlist 0");
    const Damage damage = parts.take();
    EXPECT_EQ(damage.complaints, 1);
    EXPECT_EQ(damage.notes, Notes{"a segment is missing, http://host/1.ts: HTTP error 500 Internal Server Error"});
    parts.end(MissingParts::End::as_promised);
    EXPECT_FALSE(parts.take().any());
}

TEST(MissingPartsTest, ASegmentThatComesTheSecondTimeIsNotMissing) {
    MissingParts parts;
    for (int i = 0; i < 2; ++i) {
        parts.hear("HLS request for url 'http://host/1.ts', offset 0, playlist 0");
        parts.hear("Failed to open segment 1 of playlist 0");
    }
    parts.hear("HLS request for url 'http://host/1.ts', offset 0, playlist 0");
    parts.hear("HLS request for url 'http://host/2.ts', offset 0, playlist 0");
    parts.end(MissingParts::End::as_promised);
    EXPECT_FALSE(parts.take().any());
    // The last one is not asked for again.
    parts.hear("Failed to open segment 2 of playlist 0");
    parts.end(MissingParts::End::as_promised);
    EXPECT_EQ(parts.take().notes, Notes{"a segment is missing, http://host/2.ts"});
}

TEST(MissingPartsTest, TheLastSegmentOfDashIsMissingWhereTheStreamEndsEarly) {
    for (const bool early : {false, true}) {
        MissingParts parts;
        parts.hear("rep->fragment_duration = [2000000]");
        parts.hear("DASH request for url 'http://host/9.m4s', offset 0");
        EXPECT_FALSE(parts.hear("Failed to open fragment of playlist"));
        EXPECT_TRUE(parts.hear("Error when loading first fragment of playlist"));
        EXPECT_FALSE(parts.hear("Error when loading first fragment of playlist")) << "an error by itself";
        parts.end(early ? MissingParts::End::early : MissingParts::End::as_promised);
        EXPECT_EQ(parts.take().complaints, early ? 1 : 0);
    }
    MissingParts parts;
    parts.hear("DASH request for url 'http://host/2.m4s', offset 0");
    parts.hear("Failed to open fragment of playlist");
    parts.hear("DASH request for url 'http://host/3.m4s', offset 0");
    EXPECT_EQ(parts.take().notes, Notes{"a segment is missing, http://host/2.m4s"});
}

TEST(MissingPartsTest, ATimelineOfDashPromisesNothingThatIsNotThere) {
    MissingParts parts;
    parts.hear("DASH request for url 'http://host/6.m4s', offset 0");
    parts.hear("Failed to open fragment of playlist");
    parts.hear("Error when loading first fragment of playlist");
    parts.end(MissingParts::End::uneven);
    EXPECT_EQ(parts.take().notes, Notes{"a segment is missing, http://host/6.m4s"});
}

// A stream that lacks the same as the others, which lack what is promised beyond the end, lacks nothing.
TEST(MissingPartsTest, OfUnevenStreamsOfDashTheEarlierSegmentIsMissing) {
    for (const int sound : {5, 4}) {
        MissingParts parts;
        parts.hear("rep->fragment_duration = [2000000]");
        for (const int number : {5, sound}) {
            parts.hear("DASH request for url 'http://host:80/c-" + std::to_string(number) + ".m4s?k=9', offset 0");
            parts.hear("HTTP error 404 Not Found");
            parts.hear("Failed to open fragment of playlist");
            parts.hear("Error when loading first fragment of playlist");
        }
        parts.end(MissingParts::End::uneven);
        EXPECT_EQ(parts.take().complaints, sound == 5 ? 0 : 1);
    }
}

TEST(MissingPartsTest, LivePlaylistsMayBeFasterThanTheirReader) {
    MissingParts parts;
    parts.hear("skipping 3 segments ahead, expired from playlists");
    parts.hear("Failed to reload playlist 0");
    const Damage damage = parts.take();
    EXPECT_EQ(damage.complaints, 4);
    EXPECT_EQ(damage.notes, (Notes{"3 segments of a live playlist were gone before they were read",
                                   "a playlist could not be read again"}));
}

TEST(MissingPartsTest, RenditionsAreMissingAllAlong) {
    MissingParts parts;
    parts.hear("parse_playlist error Server returned 404 Not Found [http://host/sound.m3u8?key=secret]");
    parts.hear("parse_playlist error Server returned 404 Not Found [http://host/best.m3u8]");
    parts.hear("Empty segment [http://host/best.m3u8]");
    parts.opened();
    EXPECT_EQ(parts.lasting().complaints, 1) << "of variants there are others";
    EXPECT_EQ(parts.lasting().notes, Notes{"a rendition of the playlist is missing, http://host/sound.m3u8?...: Server "
                                           "returned 404 Not Found"});
    EXPECT_FALSE(parts.take().any());
}

TEST(MissingPartsTest, JointsAreCounted) {
    MissingParts parts;
    for (const char* const tag : {"#EXT-X-VERSION:3", "#EXT-X-DISCONTINUITY-SEQUENCE:2", "#EXT-X-DISCONTINUITY"}) {
        parts.hear("Skip ('" + std::string(tag) + "')");
    }
    EXPECT_EQ(parts.joints(), 1);
}

// A list of each rendition has them all, and says them anew when it is read again.
TEST(MissingPartsTest, JointsAreThoseOfOneList) {
    MissingParts parts;
    const auto list = [&](int gone, int there) {
        parts.hear("request: GET /list.m3u8 HTTP/1.1");
        parts.hear("Skip ('#EXT-X-DISCONTINUITY-SEQUENCE:" + std::to_string(gone) + "')");
        for (int i = 0; i < there; ++i) {
            parts.hear("Skip ('#EXT-X-DISCONTINUITY')");
        }
        return parts.joints();
    };
    EXPECT_EQ(list(5, 2), 2);
    EXPECT_EQ(list(5, 2), 2);
    EXPECT_EQ(list(6, 2), 3);
    EXPECT_EQ(list(8, 0), 3);
    EXPECT_EQ(list(8, 1), 4);
}

TEST(MissingPartsTest, AnswersInChunksEndWithAnEmptyOne) {
    MissingParts parts;
    parts.hear("request: GET /1.ts HTTP/1.1");
    parts.hear("Chunked encoding data size: 1000");
    EXPECT_TRUE(parts.in_chunk());
    parts.hear("Stream ends prematurely at 900, should be 18446744073709551615");
    EXPECT_FALSE(parts.ends_anywhere());
    parts.hear("HLS request for url 'http://host/2.ts', offset 0, playlist 0");
    parts.hear("Stream ends prematurely at 900, should be 18446744073709551615");
    EXPECT_EQ(parts.take().notes, Notes{"a segment breaks off"});
    parts.hear("Chunked encoding data size: 0");
    parts.hear("Stream ends prematurely at 1000, should be 18446744073709551615");
    EXPECT_TRUE(parts.ends_anywhere());
    EXPECT_FALSE(parts.in_chunk());
    parts.hear("Chunked encoding data size: 1000");
    parts.hear("request: GET /3.ts HTTP/1.1");
    EXPECT_FALSE(parts.in_chunk());
}

// Connections know nothing of each other; each may be used again.
TEST(MissingPartsTest, SegmentsInChunksBreakOffByConnection) {
    MissingParts parts;
    const int video = 0;
    const int sound = 0;
    const auto ask = [&](const std::string& name, int playlist, const void* connection) {
        parts.hear("HLS request for url 'http://host/" + name + "', offset 0, playlist " + std::to_string(playlist));
        parts.hear("request: GET /" + name + " HTTP/1.1\r\nRange: bytes=0-\r\n", connection);
    };
    ask("v1.ts", 0, &video);
    parts.hear("Chunked encoding data size: 1000", &video);
    ask("a1.ts", 1, &sound);
    parts.hear("Chunked encoding data size: 1000", &sound);
    parts.hear("Chunked encoding data size: 0", &sound);
    ask("a2.ts", 1, &sound);
    EXPECT_FALSE(parts.take().any());
    ask("v2.ts", 0, &video);
    EXPECT_EQ(parts.take().notes, Notes{"a segment breaks off, http://host/v1.ts"});
    parts.hear("Chunked encoding data size: 1000", &video);
    parts.end(MissingParts::End::as_promised);
    EXPECT_EQ(parts.take().notes, Notes{"a segment breaks off, http://host/v2.ts"});
}

TEST(MissingPartsTest, WhatIsNotReadToItsEndDoesNotBreakOff) {
    MissingParts parts;
    const int connection = 0;
    const auto ask = [&](const std::string& request) {
        parts.hear("HLS request for url 'http://host/1.ts', offset 0, playlist 0");
        parts.hear(request, &connection);
        parts.hear("Chunked encoding data size: 1000", &connection);
    };
    ask("request: GET /the.key HTTP/1.1\r\n");
    ask("request: GET /1.ts HTTP/1.1\r\nRange: bytes=0-999\r\n");
    ask("request: GET /1.ts HTTP/1.1\r\n");
    parts.sought();
    parts.hear("request: GET /1.ts HTTP/1.1\r\n", &connection);
    parts.end(MissingParts::End::as_promised);
    EXPECT_FALSE(parts.take().any());
}

// Where a list does not say how many have left it each reading counts: a window has one while others come and go.
TEST(MissingPartsTest, JointsOfListsWithoutNumbersCountEachTime) {
    MissingParts parts;
    for (int i = 0; i < 3; ++i) {
        parts.hear("request: GET /live.m3u8 HTTP/1.1");
        parts.hear("Skip ('#EXT-X-DISCONTINUITY')");
        parts.hear("request: GET /other.m3u8 HTTP/1.1");
        parts.hear("Skip ('#EXT-X-DISCONTINUITY')");
    }
    EXPECT_EQ(parts.joints(), 3);
}

TEST(MissingPartsTest, AnswersEndAnywhereWhereTheyHaveNoSize) {
    MissingParts parts;
    EXPECT_FALSE(parts.ends_anywhere());
    parts.hear("Stream ends prematurely at 1000, should be 18446744073709551615");
    EXPECT_TRUE(parts.ends_anywhere());
    EXPECT_FALSE(parts.take().any());
    parts.hear("HLS request for url 'http://host/1.ts', offset 0, playlist 0");
    parts.hear("Stream ends prematurely at 1000, should be 2000");
    parts.hear("Will reconnect at 1000 in 0 second(s), error=Input/output error.");
    EXPECT_FALSE(parts.take().any());
    parts.hear("Stream ends prematurely at 1500, should be 2000");
    EXPECT_FALSE(parts.ends_anywhere());
    EXPECT_EQ(parts.take().notes, Notes{"a segment ends after 1500 of 2000 bytes"});
}

}  // namespace
}  // namespace vfilter
