// What the name of an input says: its kind, and what people may see of it.

#include "io/source.h"
#include "io/input/source_check.h"

#include <gtest/gtest.h>

#include "config/error.h"

namespace vfilter {
namespace {

TEST(Source, GoesByTheBeginningOfTheName) {
    struct Row {
        std::string_view path;
        std::string_view format;
        bool live;
        bool network;
        bool file;
    };
    const Row rows[] = {
        {"a.mp4", "", false, false, true},
        {"-", "", false, false, false},
        {"./lavfi:testsrc2", "", false, false, true},
        {"lavfi:", "", false, false, true},
        {"lavfi:testsrc2=s=64x48", "lavfi", false, false, false},
        {"x11grab::0.0+10,20", "x11grab", true, false, false},
        {"/dev/video0", "v4l2", true, false, false},
        {"/dev/v4l/by-id/usb-camera", "v4l2", true, false, false},
        {"/dev/zero", "", false, false, true},
        {"rtsp://camera/1", "rtsp", true, true, false},
        {"rtsps://camera/1", "rtsp", true, true, false},
        {"rtp://239.0.0.1:5004", "rtp", true, true, false},
        {"sdp:camera.sdp", "sdp", true, true, false},
        {"udp://0.0.0.0:9000", "", true, true, false},
        {"srt://host:9000", "", true, true, false},
        {"rtmp://host/live", "", true, true, false},
        {"tcp://host:9000", "", false, true, false},
        {"http://host/a.mkv", "", false, true, false},
        {"https://host/a.mkv", "", false, true, false},
        {"ftp://host/a.mkv", "", false, false, true},
        {"file:a.mkv", "", false, false, true},
        {"HTTP://host/a.mkv", "", false, false, true},
    };
    for (const Row& row : rows) {
        const Source& source = source_of(row.path);
        EXPECT_EQ(source.format, row.format) << row.path;
        EXPECT_EQ(source.live, row.live) << row.path;
        EXPECT_EQ(source.network(), row.network) << row.path;
        EXPECT_EQ(is_file_input(row.path), row.file) << row.path;
        const bool files = source.protocols.find("file") != std::string_view::npos;
        EXPECT_EQ(files, row.file || row.path == "-" || row.format == "sdp") << row.path << " must not reach files";
        InputRequest options;
        options.path = row.path;
        EXPECT_EQ(is_live(options), row.live) << row.path;
        options.live = true;
        EXPECT_TRUE(is_live(options)) << row.path;
    }
}

std::string source_refusal(const InputRequest& options) {
    try {
        check_source(options);
        return "";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
}

TEST(Source, RefusesWhatTheKindDoesNotHave) {
    InputRequest network;
    network.path = "rtsp://me:secret@camera/1";
    EXPECT_NE(source_refusal(network).find("--allow-network"), std::string::npos);
    EXPECT_EQ(source_refusal(network).find("secret"), std::string::npos);
    network.allow_network = true;
    network.reconnect = 3;
    EXPECT_EQ(source_refusal(network), "");
    network.start = Position{1, false};
    EXPECT_NE(source_refusal(network).find("--start"), std::string::npos);
    network.start.reset();
    network.camera_fps = 30;
    EXPECT_NE(source_refusal(network).find("--camera-fps"), std::string::npos);

    InputRequest http;
    http.path = "http://host/a.ts";
    http.allow_network = true;
    http.reconnect = 1;
    EXPECT_NE(source_refusal(http).find("--reconnect"), std::string::npos);
    http.live = true;
    EXPECT_EQ(source_refusal(http), "");

    InputRequest camera;
    camera.path = "/dev/video0";
    camera.camera_size = "640x480";
    camera.camera_fps = 30;
    camera.reconnect = 1;
    EXPECT_EQ(source_refusal(camera), "");
    camera.format = "mpegts";
    EXPECT_NE(source_refusal(camera).find("--input-format"), std::string::npos);
}

TEST(Source, AddressesOfOtherKindsAreNoFiles) {
    for (const auto& [name, scheme] : std::initializer_list<std::pair<std::string, std::string>>{
             {"rist://host:5", "rist"}, {"mmsh://host/a", "mmsh"}, {"HTTP://host/a", "HTTP"}, {"file:///a", "file"}}) {
        EXPECT_EQ(unknown_scheme(name), scheme);
        InputRequest options;
        options.path = name;
        options.allow_network = true;
        EXPECT_NE(source_refusal(options).find(scheme + "://"), std::string::npos) << source_refusal(options);
    }
    for (const std::string_view file : {"./rist://host", "a.mp4", "a:b://c", "/http://a", "://", "1a://b", "a b://c"}) {
        EXPECT_EQ(unknown_scheme(file), "") << file;
    }
    InputRequest nobody;
    nobody.path = "rtmp://";
    EXPECT_NE(source_refusal(nobody).find("no host"), std::string::npos);
}

TEST(Source, PortsAreNumbersUpTo65535) {
    for (const std::string_view good :
         {"udp://127.0.0.1:9999", "udp://127.0.0.1:65535?ttl=3", "rtsp://camera/1", "rtsp://me:99999@camera:554/1:2",
          "srt://:9000", "udp://@239.0.0.1:1234", "http://[::1]:80/a:b", "http://[fe80::1]/a", "a:b.mkv", "http://c:/x",
          "rtsp://me:se'cr\"et@127.0.0.1:9/x"}) {
        EXPECT_EQ(why_no_port(good), "") << good;
    }
    for (const std::string_view wrong : {"udp://127.0.0.1:99999", "tcp://host:65536", "rtsp://me:1@camera:x/1",
                                         "srt://:-1", "http://[::1]:99999/a", "udp://h:99999999999999999999"}) {
        EXPECT_NE(why_no_port(wrong), "") << wrong;
    }
}

TEST(Source, PortsAreNeededWhereNoneIsUsual) {
    for (const std::string_view wrong :
         {"udp://127.0.0.1", "udp://239.0.0.1?ttl=3", "rtp://[::1]", "rtp://[::1]/a:5", "tcp://me:9@host",
          "tcp://host:", "srt://host?mode=caller", "udp://host?x=a:5"}) {
        EXPECT_NE(why_no_port(wrong).find("names no port"), std::string_view::npos) << wrong;
    }
    for (const std::string_view good :
         {"rtsp://camera/1", "rtsp://camera", "rtmp://host/live", "http://host/a", "https://host", "sdp:a.sdp",
          "udp:host", "udp://[::1]:5", "srt://:9000?mode=listener"}) {
        EXPECT_EQ(why_no_port(good), "") << good;
    }
    // Where another one is there to receive at.
    InputRequest options;
    options.allow_network = true;
    for (const std::string path : {"udp://239.0.0.1?localport=5000", "rtp://host?ttl=1&localrtpport=5000"}) {
        options.path = path;
        EXPECT_EQ(source_refusal(options), "");
    }
    options.path = "udp://239.0.0.1";
    EXPECT_NE(source_refusal(options).find("names no port"), std::string::npos) << source_refusal(options);
    options.input_options = {{"localport", "5000"}};
    EXPECT_EQ(source_refusal(options), "");
}

TEST(ShownName, HidesUsersPasswordsAndQueries) {
    const std::pair<std::string_view, std::string_view> rows[] = {
        {"", ""},
        {"a.mp4", "a.mp4"},
        {"me@home.mp4", "me@home.mp4"},
        {"rtsp://camera:554/1", "rtsp://camera:554/1"},
        {"rtsp://me:secret@camera:554/1", "rtsp://...@camera:554/1"},
        {"rtsp://me:se'cr\"et@camera:99999/1", "rtsp://...@camera:99999/1"},
        {"rtsp://me@camera/1", "rtsp://...@camera/1"},
        {"rtsp://me:sec@ret@camera/1", "rtsp://...@camera/1"},
        {"rtsp://me:secret@camera?x=1", "rtsp://...@camera?..."},
        {"http://camera/a@b", "http://camera/a@b"},
        {"http://camera/a?user=me&password=secret", "http://camera/a?..."},
        {"Opening 'rtsp://me:secret@camera/1?p=secret' for reading", "Opening 'rtsp://...@camera/1?...' for reading"},
        {"from http://a:b@c/d to http://e:f@g/h.", "from http://...@c/d to http://...@g/h."},
        {"udp://", "udp://"},
    };
    for (const auto& [name, shown] : rows) {
        EXPECT_EQ(shown_name(name), shown);
    }
}

}  // namespace
}  // namespace vfilter
