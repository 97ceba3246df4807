// What options of FFmpeg's, displays and sound devices reach without leave.

#include "io/input/input_reach.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>

#include "config/error.h"
#include "io/handles.h"
#include "io/input/source_check.h"

namespace vfilter {
namespace {

std::string reach_refusal(const InputRequest& options) {
    try {
        check_source(options);
        check_reach(options);
        return "";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::usage);
        return error.what();
    }
}

InputRequest input_with(const std::string& path, OptionPairs pairs) {
    InputRequest options;
    options.path = path;
    options.input_options = std::move(pairs);
    return options;
}

TEST(InputReach, LocksOfProtocolsAreLiftedOnlyWithLeave) {
    InputRequest files = input_with("lavfi:testsrc2", {{"protocol_whitelist", "file"}});
    EXPECT_EQ(reach_refusal(files),
              "--input-option protocol_whitelist: 'file' reaches files: that needs --allow-files");
    files.allow_files = true;
    EXPECT_EQ(reach_refusal(files), "");
    InputRequest network = input_with("c.txt", {{"protocol_whitelist", "file,http,tcp"}});
    EXPECT_EQ(reach_refusal(network),
              "--input-option protocol_whitelist: 'http' reaches addresses: that needs --allow-network");
    network.allow_network = true;
    EXPECT_EQ(reach_refusal(network), "") << "a file is what it is";
    InputRequest address = input_with("http://host/a.m3u8", {{"protocol_whitelist", "http,tcp,file"}});
    address.allow_network = true;
    EXPECT_NE(reach_refusal(address).find("'file' reaches files"), std::string::npos);
}

TEST(InputReach, WhatLiftsNoLockIsTaken) {
    for (const char* const list : {"", "none", "file", "pipe", "file,crypto,data", "concat,subfile,file", "nosuch"}) {
        EXPECT_EQ(reach_refusal(input_with("a.mp4", {{"protocol_whitelist", list}})), "") << list;
    }
    for (const char* const list : {"mov", "matroska,webm,mov", "nosuch", "", "tty"}) {
        EXPECT_EQ(reach_refusal(input_with("a.mp4", {{"format_whitelist", list}})), "") << list;
    }
    EXPECT_EQ(reach_refusal(input_with("a.mp4", {{"protocol_blacklist", "file"}, {"codec_whitelist", "h264"}})), "");
    EXPECT_EQ(reach_refusal(input_with("a.mp4", {{"decryption_key", "00"}, {"probesize", "5000000"}})), "");
    EXPECT_EQ(reach_refusal(input_with("a.mp4", {{"protocol_whitelist", "http"}, {"protocol_whitelist", "file"}})), "")
        << "the last one counts";
    InputRequest address = input_with("http://host/a.m3u8", {{"format_whitelist", "hls,mpegts,concat"},
                                                             {"protocol_whitelist", "http,tcp,rtp"},
                                                             {"http_proxy", "http://proxy"},
                                                             {"headers", "a: b"}});
    address.allow_network = true;
    EXPECT_EQ(reach_refusal(address), "");
}

TEST(InputReach, ListsOfFilesAreOpenedOnlyWithLeave) {
    for (const char* const list : {"concat,mov", "mov,hls", "hls", "imf"}) {
        if (std::string_view(list) == "imf" && av_find_input_format("imf") == nullptr) {
            continue;
        }
        InputRequest options = input_with("c.txt", {{"format_whitelist", list}});
        EXPECT_NE(reach_refusal(options).find("can open other files, which the input names: that needs --allow-files"),
                  std::string::npos)
            << list;
        options.allow_files = true;
        EXPECT_EQ(reach_refusal(options), "") << list;
    }
}

TEST(InputReach, OptionsThatNameFilesNeedLeave) {
    InputRequest graph = input_with("lavfi:testsrc2", {{"graph_file", "g.txt"}});
    EXPECT_EQ(reach_refusal(graph),
              "--input-option graph_file: the filters in a file can reach any other file and address: that needs "
              "--allow-files and --allow-network");
    graph.allow_files = true;
    EXPECT_FALSE(reach_refusal(graph).empty());
    graph.allow_network = true;
    EXPECT_EQ(reach_refusal(graph), "");
    for (const char* const key : {"ca_file", "cafile", "cert_file", "key_file"}) {
        InputRequest address = input_with("https://host/a.mp4", {{key, "a.pem"}});
        address.allow_network = true;
        EXPECT_EQ(reach_refusal(address),
                  std::string("--input-option ") + key + ": names a file: that needs --allow-files");
        address.allow_files = true;
        EXPECT_EQ(reach_refusal(address), "");
    }
}

// FFmpeg's dictionaries make no difference of capital letters: another spelling would put itself in the lock's place.
TEST(InputReach, LocksAreSpeltInOneWay) {
    EXPECT_NE(reach_refusal(input_with("a.mp4", {{"Protocol_Whitelist", "file"}})).find("protocol_whitelist is"),
              std::string::npos);
    EXPECT_FALSE(reach_refusal(input_with("a.mp4", {{"FORMAT_WHITELIST", "mov"}})).empty());
}

TEST(InputReach, LocksWithinDictionariesAreLocks) {
    InputRequest address = input_with("http://host/a.m3u8", {{"seg_format_options", "protocol_whitelist=file"}});
    address.allow_network = true;
    EXPECT_NE(reach_refusal(address).find("'file' reaches files"), std::string::npos);
    address.input_options = {{"seg_format_options", "probesize=100000:fflags=nobuffer"}};
    EXPECT_EQ(reach_refusal(address), "");
}

TEST(InputReach, AddedFilesHaveTheirOwnOption) {
    InputRequest added = input_with("a.mka", {{"format_whitelist", "concat"}});
    added.beside = true;
    EXPECT_EQ(reach_refusal(added).find("--add-option format_whitelist: "), 0U);
}

TEST(InputReach, DisplaysOfOtherMachinesAreOnTheNetwork) {
    for (const char* const here : {":0", ":0.0", ":0+10,20", "unix:0", "unix/:0", "host/unix:0", "/tmp/socket", "+1,2",
                                   "unix:/tmp/socket", ":99.1+0,0"}) {
        EXPECT_FALSE(is_remote_display(here)) << here;
        EXPECT_EQ(reach_refusal(input_with(std::string("x11grab:") + here, {})), "") << here;
    }
    for (const char* const away : {"localhost:10", "localhost:10.0+1,2", "192.0.2.1:0", "tcp/host:0", "inet6/[::1]:0",
                                   "[::1]:0", "tcp/:0", "host::0", "unix:host:0"}) {
        EXPECT_TRUE(is_remote_display(away)) << away;
        InputRequest screen = input_with(std::string("x11grab:") + away, {});
        EXPECT_NE(reach_refusal(screen).find("that needs --allow-network"), std::string::npos) << away;
        screen.allow_network = true;
        EXPECT_EQ(reach_refusal(screen), "") << away;
    }
}

TEST(InputReach, PlugInsOfAlsaThatWriteFilesNeedLeave) {
    for (const char* const plain :
         {"default", "hw:1,0", "plughw:CARD=profile:1", "fake", "plug:dsnoop", "file", "my_tee:0"}) {
        EXPECT_FALSE(names_files_to_alsa(plain)) << plain;
    }
    InputRequest camera = input_with("/dev/video0", {});
    for (const char* const device : {"file:/tmp/a,raw", "plug:'tee:hw,/tmp/a,raw'", "plug:SLAVE=\"file:a,raw\"",
                                     "shm:/tmp/s,hw", "plug:\"\\146ile:a,raw\"", "pcm.file:a,raw"}) {
        camera.audio_device = std::string("alsa:") + device;
        EXPECT_NE(reach_refusal(camera).find("that needs --allow-files"), std::string::npos) << device;
        camera.allow_files = true;
        EXPECT_EQ(reach_refusal(camera), "") << device;
        camera.allow_files = false;
    }
}

}  // namespace
}  // namespace vfilter
