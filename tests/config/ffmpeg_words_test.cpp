// Words of ffmpeg's command line as ours.

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "config/command_line.h"
#include "config/command_text.h"
#include "config/error.h"
#include "config/ffmpeg_words.h"
#include "config/foreign_filters.h"
#include "config/help.h"
#include "config/option_table.h"
#include "tests/config/ffmpeg_line.h"

namespace vfilter {
namespace {

TEST(FfmpegWords, BecomeOurs) {
    const std::vector<std::pair<std::string, std::string>> rows{
        {"-i a.mp4 b.mkv", "--input=a.mp4 b.mkv"},
        {"-ss 5 -t 2 -i a.mp4 b.mkv", "--start=5 --input=a.mp4 b.mkv --duration=2"},
        {"-i a.mp4 -i b.wav -map 0:v -map 1:a c.mkv", "--streams=video,audio:@1 --input=a.mp4 --add=b.wav c.mkv"},
        {"-i a.mp4 -y -itsoffset 0.5 -i b.wav c.mkv", "--input=a.mp4 --overwrite --add=0.5=b.wav c.mkv"},
        {"-i a.mp4 -i 5=b.srt -map 0 -map 1 c.mkv", "--input=a.mp4 --add=0=5=b.srt c.mkv"},
        {"-i a.mp4 -i b.mka -map 0:v -map 1:a:2 -c:a:0 aac -metadata:s:a:0 title=x c.mkv",
         "--streams=video,audio:@1.2 --input=a.mp4 --add=b.mka c.mkv --audio=@1.2=aac --metadata=audio:@1.2:title=x"},
        {"-i a.mp4 -i b.mka -map 0 -map -0:a -map 1:a? c.mkv",
         "--streams=video,subtitles:@0?,data:@0?,attachments:@0?,audio:@1? --input=a.mp4 --add=b.mka c.mkv"},
        {"-i a.mp4 -itsoffset 0.00001 -i b.wav c.mkv", "--input=a.mp4 --add=0.00001=b.wav c.mkv"},
        {"-i a -map 0:v -map 0:a:1 -map 0:a b", "--streams=video,audio:1,audio --input=a b"},
        {"-i a.mp4 -itsoffset 00:01:01.5 -i b.wav -itsoffset +0.5 -i c.wav -itsoffset -0:02 -i d.wav e.mkv",
         "--input=a.mp4 --add=61.5=b.wav --add=0.5=c.wav --add=-2=d.wav e.mkv"},
        {"-i a.mp4 -i b.mka -map 0:v -map 0:a:0 -map 1:a -metadata:s:a:1 title=x -disposition:a:2 dub c.mkv",
         "--streams=video,audio:@0.0,audio:@1 --input=a.mp4 --add=b.mka c.mkv --metadata=audio:@1.0:title=x "
         "--disposition=audio:@1.1=dub"},
        {"-i a.mp4 -i b.mka -i c.mka -map 0:v -map 2:a -map 1:a -metadata:s:a:0 title=x d.mkv",
         "--streams=video,audio:@2,audio:@1 --input=a.mp4 --add=b.mka --add=c.mka d.mkv "
         "--metadata=audio:@2.0:title=x"},
        {"-i a.mp4 -i b.mka -map 1 -map 0 c.mkv",
         "--streams=audio:@1?,subtitles:@1?,attachments:@1?,video,audio:@0?,subtitles:@0?,data:@0?,attachments:@0? "
         "--input=a.mp4 --add=b.mka c.mkv"},
        {"-i a.mp4 -ss 5 -to 7 b.mkv", "--input=a.mp4 --start=5 b.mkv --end=7"},
        {"-ss 5 -to 7 -i a.mp4 b.mkv", "--start=5 --input=a.mp4 b.mkv --end=7"},
        {"-i a.mp4 -c:v libx264 -crf 20 -preset slow b.mp4",
         "--input=a.mp4 --codec=libx264 --crf=20 --preset=slow b.mp4"},
        {"-i a -vcodec ffv1 -pix_fmt yuv420p -b:v 2M b", "--input=a --codec=ffv1 --pix-fmt=yuv420p --bitrate=2M b"},
        {"-i a -c copy -c:v ffv1 b", "--input=a --codec=ffv1 b"},
        {"-y -hide_banner -stats -loglevel warning -i a b", "--overwrite --log-level=warning --input=a b"},
        {"-v 16 -i a b", "--log-level=error --input=a b"},
        {"-nostdin -i a b", "--input=a b --no-overwrite"},
        {"-nostdin -y -i a b", "--overwrite --input=a b"},
        {"-f lavfi -i testsrc2 -f null -", "--input=lavfi:testsrc2 --format=null -"},
        {"-f x11grab -framerate 30 -i :0+1,2 a.mkv", "--camera-fps=30 --input=x11grab::0+1,2 a.mkv"},
        {"-f v4l2 -video_size 640x480 -i /dev/video0 a.mkv", "--camera-size=640x480 --input=/dev/video0 a.mkv"},
        {"-f mpegts -i a -f matroska b", "--input-format=mpegts --input=a --format=matroska b"},
        {"-i a -tune grain -x264-params a=b:c=d -g 50 b",
         "--input=a --encoder-option=tune=grain --encoder-option=x264-params=a=b:c=d --encoder-option=g=50 b"},
        {"-i a -profile:v high -sc_threshold 0 -flags +cgop b",
         "--input=a --encoder-option=profile=high --encoder-option=sc_threshold=0 --encoder-option=flags=+cgop b"},
        {"-i a -crf:v 20 -preset:v fast -g:v 50 -x264-params:v a=b -pix_fmt:v gray b",
         "--input=a --crf=20 --preset=fast --encoder-option=g=50 --encoder-option=x264-params=a=b --pix-fmt=gray b"},
        {"-i a -map 0 -c copy -c:v:0 ffv1 -level:v:0 3 -filter:v:0 negate -frames:v:0 5 -b:v:0 0 b",
         "--input=a --codec=ffv1 --encoder-option=level=3 --vf=negate b --frames=5"},
        {"-i a -map 0 -c:v copy -c:v:0 ffv1 -crf:v:0 20 -metadata:s:v:0 title=x b",
         "--input=a --codec=ffv1 --crf=20 b --metadata=video:0:title=x"},
        {"-f rawvideo -s:v 64x48 -r 30 -i a -r:v 10 -aspect:v 4:3 b",
         "--input-format=rawvideo --input-option=framerate=30 --input-option=video_size=64x48 --input=a b --vf=fps=10,"
         "setdar=4/3"},
        {"-i a -c:v ffv1 -level 3 -slices 24 -slicecrc 1 b.mkv",
         "--input=a --codec=ffv1 --encoder-option=level=3 --encoder-option=slices=24 --encoder-option=slicecrc=1 "
         "b.mkv"},
        {"-i a -loop 0 b.gif", "--input=a --muxer-option=loop=0 b.gif"},
        {"-thread_queue_size 512 -i a -plays 0 b.apng", "--input=a --muxer-option=plays=0 b.apng"},
        {"-i a -q:v 2.5 b", "--input=a --encoder-option=flags=+qscale --encoder-option=global_quality=295 b"},
        {"-fflags +genpts -hwaccel cuda -i a -video_track_timescale 90000 b",
         "--input-option=fflags=+genpts --input=a --muxer-option=video_track_timescale=90000 b"},
        {"-hwaccel none -i a -aspect 16:9 -color_trc bt709 b",
         "--decode=cpu --input=a b --vf=setdar=16/9,setparams=color_trc=bt709"},
        {"-f rawvideo -s 64x48 -pix_fmt gray -r 30 -i a b",
         "--input-format=rawvideo --input-option=framerate=30 --input-option=video_size=64x48 "
         "--input-option=pixel_format=gray --input=a b"},
        {"-video_size 64x48 -pixel_format gray -framerate 30 -f rawvideo -i - b",
         "--input-format=rawvideo --input-option=framerate=30 --input-option=video_size=64x48 "
         "--input-option=pixel_format=gray --input=- b"},
        {"-s 64x48 -i a.yuv -s 32x24 -pix_fmt gray b",
         "--input-option=video_size=64x48 --input=a.yuv --pix-fmt=gray b --vf=scale=s=32x24"},
        {"-i a -vframes 5 -vsync 0 -threads 2 b", "--input=a --threads=2 b --frames=5"},
        {"-i a -an -sn b", "--input=a b --audio=none --subtitles=none"},
        {"-i a -c:a aac -b:a 128k b", "--input=a b --audio=aac:128"},
        {"-i a -c:a copy -c:s copy b", "--input=a b --audio=copy --subtitles=copy"},
        {"-i a -c:a aac -ac 2 -ar 44100 b", "--input=a b --audio=aac:channels=stereo:samplerate=44100"},
        {"-i a -ac 6 -c:a aac -b:a 400k b", "--input=a b --audio=aac:400:channels=5.1"},
        {"-i a -map 0 -c:a copy -c:a:1 aac -b:a:1 96k -ac 1 b", "--input=a b --audio=copy,1=aac:96:channels=mono"},
        {"-i a -map 0 -codec:a:0 opus -c:a:2 flac b", "--input=a b --audio=0=opus,2=flac"},
        {"-i a -map 0 -c:a aac -b:a 192k -b:a:1 96k b", "--input=a b --audio=aac:192,1=aac:96"},
        {"-i a -map 0:v -map 0:a:2 -map 0:a:0 -c:a:0 aac b",
         "--streams=video,audio:2,audio:0 --input=a b --audio=2=aac"},
        {"-i a -map 0 -metadata:s:a:1 title=B -disposition:s:0 0 b",
         "--input=a b --metadata=audio:1:title=B --disposition=subtitles:0=0"},
        {"-i a -map 0:v -map 0:a:2 -metadata:s:a:0 title=B b",
         "--streams=video,audio:2 --input=a b --metadata=audio:2:title=B"},
        {"-i a -map 0 -c:a copy -c:a:0 opus -b:a 64k b", "--input=a b --audio=copy,0=opus:64"},
        {"-i a -map 0:v -c:a:0 aac -ac 2 b", "--streams=video --input=a b"},
        {"-i a -c:a:0 aac -b:a:0 128k b", "--input=a b --audio=aac:128"},
        {"-i a -c:s mov_text b.mp4", "--input=a b.mp4 --subtitles=copy"},
        {"-i a -map 0:v:0 -map 0:a? b", "--streams=video:0,audio --input=a b"},
        {"-i a -map 0 -map -0:s b", "--streams=video,audio,data,attachments --input=a b"},
        {"-i a -map 0 b", "--input=a b"},
        {"-i a -map 0:v -map 0:a:1 -map 0:a:2 -map 0:s:0? b",
         "--streams=video,audio:1,audio:2,subtitles:0? --input=a b"},
        {"-i a -map 0:v -map 0:s:m:language:eng b", "--streams=video,subtitles:eng --input=a b"},
        {"-i a -map 0:v -map 0:a:0 -map 0:s:1 -map -0:a b", "--streams=video,subtitles:1 --input=a b"},
        {"-i a -map 0 -map 0:a:1 b", "--streams=video,audio,subtitles,data,attachments,audio:1 --input=a b"},
        {"-i a -dn -an b", "--streams=video,audio,subtitles,attachments --input=a b --audio=none"},
        {"-i a -map_metadata 0 -map_chapters 0 b", "--input=a b"},
        {"-i a -map_metadata -1 -metadata title=x b", "--input=a --strip=metadata --metadata=title=x b"},
        {"-i a -movflags +faststart -tag:v hvc1 b", "--input=a --muxer-option=movflags=+faststart --video-tag=hvc1 b"},
        {"-i a -c:v libvpx-vp9 -crf 30 -b:v 0 b.webm", "--input=a --codec=libvpx-vp9 --crf=30 b.webm"},
        {"-framerate 10 -pattern_type glob -i *.png -start_number 5 b_%d.png",
         "--framerate=10 --input=*.png --start-number=5 b_%d.png"},
        {"a.mp4 b.mkv --gaussian 5 -ss 1", "a.mp4 b.mkv --gaussian 5 --start=1"},
    };
    for (const auto& [given, wanted] : rows) {
        EXPECT_EQ(translated(given), wanted);
    }
}

// ffmpeg's output begins at 0 after a -ss before -i, and a -to after it is a time of the output.
TEST(FfmpegWords, MindTheirPlace) {
    EXPECT_EQ(translated("-ss 5 -i a -to 7 b"), "--start=5 --input=a b --duration=7");
    EXPECT_NE(refused("-ss 5 -i a -ss 2 b").find("sum"), std::string::npos);
    EXPECT_NE(refused("-ss 5 -i a -i b c").find("behind the last -i"), std::string::npos);
    EXPECT_NE(refused("-t 5 -i a -i b c").find("behind the last -i"), std::string::npos);
    EXPECT_NE(refused("-to 5 -i a -i b c").find("-to: before the first"), std::string::npos);
    EXPECT_NE(refused("-i a -i b -itsoffset 1 c").find("-itsoffset: no -i"), std::string::npos);
    EXPECT_NE(refused("-i a -itsoffset inf -i b c").find("'inf' is neither seconds"), std::string::npos);
    EXPECT_NE(refused("-i a -map 0:v -map 0:a:0 -map 0:a:0 c").find("'0:a:0': each stream can be in the output once"),
              std::string::npos);
    EXPECT_NE(refused("-i a -itsoffset 5f -i b c").find("-itsoffset"), std::string::npos);
    EXPECT_NE(refused("-i a -i b -i c -map 0:v -map 2:a -map 1:a -metadata:s:a:1 title=x d").find("depends on -map"),
              std::string::npos);
    EXPECT_NE(refused("-c:v h264 -i a b").find("decoder"), std::string::npos);
    EXPECT_NE(refused("-c:v:0 h264 -i a b").find("decoder"), std::string::npos);
    EXPECT_NE(refused("-i a -c:v:1 h264 b").find("--video-stream"), std::string::npos);
    EXPECT_NE(refused("-i a -c:v:0 copy b").find("-c:v:0: the video is always"), std::string::npos);
    EXPECT_NE(refused("-i a -c:v ffv1 -c:v copy b").find("-c:v: the video is always"), std::string::npos);
    EXPECT_NE(refused("-pix_fmt gray -i a b").find("raw"), std::string::npos);
    EXPECT_NE(refused("-i a -f hls -hls_time 4 b.m3u8").find("one file"), std::string::npos);
    EXPECT_NE(refused("-re -i a rtmp://host/b").find("towards an address"), std::string::npos);
    EXPECT_NE(refused("-loop 1 -i a.png -t 5 b.mp4").find("--vf loop=-1:1"), std::string::npos);
    EXPECT_NE(refused("-i a -pixel_format gray b").find("before -i"), std::string::npos);
    EXPECT_NE(refused("-i a -s 32x24 -sws_flags lanczos b").find("--vf scale=W:H:flags=NAME"), std::string::npos);
}

// What ours say stays where it stands, and labels are no list.
TEST(FfmpegWords, GraphsAreJoinedWhereNothingIsBetween) {
    EXPECT_EQ(translated("-i a -vf fps=2 --gaussian 5 -frames:v 1 b.png"),
              "--input=a --vf=fps=2 --gaussian 5 b.png --vf=trim=end_frame=1");
    EXPECT_EQ(translated("-i a -vf [in]fps=2[out] -frames:v 1 b.png"),
              "--input=a --vf=[in]fps=2[out] b.png --vf=trim=end_frame=1");
}

// As OpenCV's and other scripts write it, which send pictures through a pipe.
TEST(FfmpegWords, RawPicturesMayNameTheirDecoder) {
    EXPECT_EQ(
        translated("-y -f rawvideo -vcodec rawvideo -pix_fmt bgr24 -s 160x120 -r 25 -i - -an -vcodec libx264 b.mp4"),
        "--overwrite --input-format=rawvideo --input-option=framerate=25 --input-option=video_size=160x120 "
        "--input-option=pixel_format=bgr24 --input=- --codec=libx264 b.mp4 --audio=none");
    EXPECT_EQ(translated("-c:v rawvideo -s 64x48 -f rawvideo -i a b"),
              "--input-format=rawvideo --input-option=video_size=64x48 --input=a b");
    EXPECT_NE(refused("-vcodec rawvideo -i a.avi b").find("-vcodec: before -i"), std::string::npos);
    EXPECT_NE(refused("-f rawvideo -c:v h264 -i a b").find("decoder"), std::string::npos);
}

TEST(FfmpegWords, HowAVideoIsTurnedIsNoTag) {
    EXPECT_EQ(translated("-noautorotate -i a b"), "--input=a b");
    EXPECT_NE(refused("-noautorotate -i a -vf hflip b").find("-noautorotate: it cannot be combined with --vf"),
              std::string::npos);
    EXPECT_NE(refused("-noautorotate -i a b --vf hflip").find("-noautorotate: it cannot be combined with --vf"),
              std::string::npos);
    EXPECT_NE(refused("-noautorotate -i a -s 32x24 b").find("-noautorotate: it cannot be combined with --vf"),
              std::string::npos);
    EXPECT_NE(refused("-autorotate -i a b").find("--vf null"), std::string::npos);
    EXPECT_NE(refused("-display_rotation 90 -i a b").find("--vf transpose"), std::string::npos);
    EXPECT_NE(refused("-i a -metadata:s:v:0 rotate=0 b").find("-metadata:s:v:0: how a video is to be turned"),
              std::string::npos);
    EXPECT_EQ(refused("-i a -map 0 -metadata:s:a:0 rotate=0 b").find("accepted"), 0U);
}

TEST(FfmpegWords, DevicesOfOtherSystemsAreToldWhatIsHere) {
    EXPECT_EQ(refused("-f dshow -i video=Camera b").find("-f: 'dshow' is no input here; cameras are /dev/video0"), 0U);
    EXPECT_NE(refused("-f gdigrab -framerate 30 -i desktop b").find("x11grab::0"), std::string::npos);
    EXPECT_NE(refused("-f alsa -i default b").find("--audio-device default"), std::string::npos);
    EXPECT_NE(refused("-f x11grab -i :0 -f pulse -i default b").find("--audio-device default"), std::string::npos);
    EXPECT_NE(refused("-i a -f mpegts -i b c").find("between two -i"), std::string::npos);
}

TEST(FfmpegWords, ListsAreOurs) {
    for (const auto& [word, wanted] : std::vector<std::pair<std::string, std::string>>{
             {"-formats", "--list=formats"}, {"-filters", "--list=filters"}, {"-pix_fmts", "--list=pixel-formats"}}) {
        EXPECT_EQ(translated(word), wanted);
    }
}

TEST(FfmpegWords, WhatHappensAlwaysNeedsNothing) {
    EXPECT_EQ(translated("-i a -frames:v 1 -update 1 -id3v2_version 3 b.png"), "--input=a b.png --frames=1");
    EXPECT_EQ(translated("-i a -b 500k b"), "--input=a --bitrate=500k b");
    EXPECT_NE(refused("-i a -fs 5M b").find("--two-pass"), std::string::npos);
    EXPECT_NE(refused("-skip_frame nokey -i a b").find("--vf select=key"), std::string::npos);
}

TEST(FfmpegWords, SeveralOutputsAreSeveralRuns) {
    EXPECT_EQ(refused("-i a -ss 1 b.mp4 -ss 2 c.mp4"), "-ss: given a second time behind b.mp4: a run has one output");
    EXPECT_NE(refused("-ss 1 -i a.mp4 -ss 2 b.mp4").find("sum"), std::string::npos);
    EXPECT_NE(refused("a.mp4 -ss 1 --gaussian 5 -ss 2 b.mp4").find("sum"), std::string::npos);
}

TEST(FfmpegWords, ExamplesAreOfTheKindThatWasTyped) {
    EXPECT_EQ(refused("-i a -metadata:s:v title=A b"), "-metadata:s:v: of one stream each: -metadata:s:v:0 KEY=VALUE");
    // What stands in a hint has to be taken.
    EXPECT_NE(refused("-i a -metadata:s:v rotate=0 b").find("-metadata:s:v: how a video is to be turned"),
              std::string::npos);
    EXPECT_EQ(refused("-i a -metadata:s:0 language=ger b"),
              "-metadata:s:0: of one stream each, by its kind: -metadata:s:a:0 KEY=VALUE");
    EXPECT_NE(refused("-i a -disposition:1 0 b").find("-disposition:a:0"), std::string::npos);
    EXPECT_NE(refused("-i a -aq 3 b").find("-aq: sound takes a rate"), std::string::npos);
    EXPECT_NE(refused("-i a -qscale:a 3 b").find("-qscale:a: sound takes a rate"), std::string::npos);
    EXPECT_NE(refused("-i a -frame_pts 1 b").find("--start-number"), std::string::npos);
    EXPECT_NE(refused("-i a -aframes 9 b").find("--duration TIME"), std::string::npos);
    EXPECT_EQ(translated("-i a -profile high b"), "--input=a --encoder-option=profile=high b");
    EXPECT_NE(refused("-i a -ab 128k b").find("-ab: sound is copied"), std::string::npos);
    EXPECT_NE(refused("-i a -map 0:v:0 -b:a:0 128k -ab 96k b").find("accepted"), std::string::npos) << "no sound";
    EXPECT_EQ(refused("-i concat:a.ts|b.ts c"), "-i: files that follow each other are --append: -i a.ts --append b.ts");
    EXPECT_EQ(refused("-i a -disposition:s forced b"), "-disposition:s: of one stream each: -disposition:s:0 PURPOSE");
    EXPECT_NE(help_text("ffmpeg").find("-metadata:s:v:0 KEY=VALUE"), std::string::npos);
    EXPECT_EQ(help_text("ffmpeg").find("{}"), std::string::npos);
}

TEST(FfmpegWords, LoopsAreTheInputOnceMore) {
    EXPECT_EQ(translated("-stream_loop 2 -i a.mp4 b.mkv"), "--input=a.mp4 --append=a.mp4 --append=a.mp4 b.mkv");
    EXPECT_EQ(translated("-stream_loop 0 -i a.mp4 b.mkv"), "--input=a.mp4 b.mkv");
    for (const char* const wrong : {"-1", "1001", "x", "1.5"}) {
        EXPECT_NE(refused(std::string("-stream_loop ") + wrong + " -i a b").find("from 0 to 1000"), std::string::npos);
        EXPECT_NE(refused(std::string("-stream_loop ") + wrong + " -i a b").find("cut the rest with -t"),
                  std::string::npos);
    }
    EXPECT_NE(refused("-i a -stream_loop 2 b").find("before its -i"), std::string::npos);
    EXPECT_NE(refused("-i a -stream_loop 2 -i b c").find("-stream_loop"), std::string::npos);
}

TEST(FfmpegWords, NoSoundAndNoSubtitlesWinOverCodecs) {
    EXPECT_EQ(translated("-i a -c:a aac -b:a 96k -an b"), "--input=a b --audio=none");
    EXPECT_EQ(translated("-i a -an -c:a copy b"), "--input=a b --audio=none");
    EXPECT_EQ(translated("-i a -an -b:a 96k b"), "--input=a b --audio=none");
    EXPECT_EQ(translated("-i a -sn -c:s copy b"), "--input=a b --subtitles=none");
    EXPECT_EQ(translated("-i a -map 0:v -map 0:a -an b"), "--streams=video,audio --input=a b --audio=none");
    EXPECT_EQ(translated("-i a -map 0:v -map 0:s -an -c:a aac b"),
              "--streams=video,subtitles --input=a b --audio=none");
    EXPECT_EQ(translated("-i a -map 0:v -c:a aac -c:s copy b"), "--streams=video --input=a b");
    EXPECT_EQ(translated("-i a -map 0:v -map 0:a:1 -c:a aac b"), "--streams=video,audio:1 --input=a b --audio=aac");
}

TEST(FfmpegWords, WhatMeansNothingHereHasAnotherWay) {
    EXPECT_NE(refused("-i a -filter_complex overlay b").find("-filter_complex: "), std::string::npos);
    EXPECT_NE(refused("-i a -filter_complex overlay b").find("--vf"), std::string::npos);
    EXPECT_NE(refused("-i a -c:v copy b").find("--codec ffv1"), std::string::npos);
    EXPECT_NE(refused("-i a -c copy b").find("-c: the video is always"), std::string::npos);
    EXPECT_NE(refused("-i a -codec copy b").find("-codec: the video is always"), std::string::npos);
    EXPECT_NE(refused("-i a -c:v ffv1 -c copy b").find("--codec ffv1"), std::string::npos) << "the last word counts";
    EXPECT_NE(refused("-i a -ss 5 -i b c").find("between two -i"), std::string::npos);
    EXPECT_NE(refused("-i a -i b -map 0:v -map 2:a c").find("no -i with that number"), std::string::npos);
    EXPECT_NE(refused("-i a -i b -map 1:v c").find("of the first -i"), std::string::npos);
    EXPECT_NE(refused("-i a -crf").find("-crf: N is missing"), std::string::npos);
    EXPECT_NE(refused("-i a -map 0:3 b").find("--streams"), std::string::npos);
    EXPECT_NE(refused("-i a -map 0:a b").find("sound alone"), std::string::npos);
    EXPECT_NE(refused("-i a -b:a 128k b").find("-c:a aac"), std::string::npos);
    EXPECT_NE(refused("-i a -ac 2 b").find("-ac: sound is copied"), std::string::npos);
    EXPECT_NE(refused("-i a -c:a copy -ar 48000 b").find("-ar: sound is copied"), std::string::npos);
    EXPECT_NE(refused("-i a -c:a aac -ac 9 b").find("'9' is no number from 1 to 8"), std::string::npos);
    EXPECT_NE(refused("-i a -map 0 -c:a:1 copy -b:a:1 96k b").find("-c:a aac"), std::string::npos);
    EXPECT_EQ(refused("-i a -c:a:N aac b"), "accepted: --input=a -c:a:N aac b");
    EXPECT_NE(refused("-i a -c:a:1 aac b").find("depends on -map"), std::string::npos);
    EXPECT_NE(refused("-i a -map 0:v -map 0:a:0 -c:a:1 aac b").find("depends on -map"), std::string::npos);
    EXPECT_NE(refused("-i a -map 0:v -map 0:a:m:language:eng -c:a:0 aac b").find("depends on -map"), std::string::npos);
    EXPECT_NE(refused("-i a -map_metadata 1 b").find("--strip metadata"), std::string::npos);
    EXPECT_NE(refused("-i a -map_chapters -1 b").find("--strip metadata"), std::string::npos);
    EXPECT_NE(refused("-start_number 3 -i a b").find("--start Kf leaves out the first K"), std::string::npos);
    EXPECT_NE(refused("-i a -filter_complex [0:v]setpts=PTS/2[v] b").find("--vf setpts=PTS/2 --af atempo=2"),
              std::string::npos);
    EXPECT_NE(refused("-i a -i b -filter_complex overlay c").find("--vf \"movie=logo.png[l];[in][l]overlay=8:8\""),
              std::string::npos);
    EXPECT_NE(refused("-i a -vn b").find("sound alone"), std::string::npos);
    EXPECT_NE(refused("-i a -q:v best b").find("'best' is not a number"), std::string::npos);
    EXPECT_NE(refused("-hwaccel vaapi -i a b").find("--decode"), std::string::npos);
    EXPECT_NE(refused("-i a -fflags +bitexact b").find("--muxer-option"), std::string::npos);
    EXPECT_NE(refused("-movflags faststart -i a b").find("--input-option"), std::string::npos);
    EXPECT_NE(refused("-i a -loglevel loud b").find("loud"), std::string::npos);
    EXPECT_NE(refused("-i a b -v").find("-v: LEVEL is missing"), std::string::npos);
    const std::vector<const char*> unset{"-i", "a", "-t", "", "b"};
    EXPECT_THROW(without_ffmpeg_words(unset), Error) << "a script's variable";
}

TEST(FfmpegWords, ValuesOfOptionsAreNotTakenForThem) {
    EXPECT_EQ(translated("a b --report -an"), "a b --report -an");
    EXPECT_EQ(translated("a -o -y"), "a -o -y");
    EXPECT_EQ(translated("a b -- -ss"), "a b -- -ss");
    EXPECT_EQ(translated("a b --stats -y"), "a b --stats --overwrite");
}

TEST(FfmpegWords, SizesBeforeTheInputAreOfWhatHasNone) {
    EXPECT_NE(refused("-r 60 -f image2 -s 160x120 -i f_%03d.png b").find("-s: before -i it is the size of a camera's"),
              std::string::npos);
    EXPECT_NE(refused("-video_size 160x120 -i a.mp4 b").find("-video_size: before -i"), std::string::npos);
    EXPECT_EQ(translated("-f v4l2 -s 64x48 -i /dev/video0 b"), "--camera-size=64x48 --input=/dev/video0 b");
    EXPECT_EQ(translated("-s 64x48 -i webcam b"), "--camera-size=64x48 --input=webcam b");
}

TEST(FfmpegWords, ColoursAreThoseOfFfmpeg) {
    for (const auto& [given, wanted] : {std::pair{"-color_trc gamma22", "color_trc=bt470m"},
                                        {"-color_trc gamma28", "color_trc=bt470bg"},
                                        {"-color_trc iec61966_2_1", "color_trc=iec61966-2-1"},
                                        {"-color_trc log", "color_trc=log100"},
                                        {"-color_trc log316", "color_trc=log316"},
                                        {"-color_trc 16", "color_trc=16"},
                                        {"-colorspace rgb", "colorspace=gbr"},
                                        {"-colorspace bt2020_ncl", "colorspace=bt2020nc"},
                                        {"-colorspace:v bt709", "colorspace=bt709"},
                                        {"-color_primaries smpte428_1", "color_primaries=smpte428"},
                                        {"-color_range unspecified", "range=unknown"},
                                        {"-color_range jpeg", "range=jpeg"}}) {
        EXPECT_EQ(translated(std::string("-i a ") + given + " b"), std::string("--input=a b --vf=setparams=") + wanted);
    }
    EXPECT_EQ(refused("-i a -color_range full b"), "-color_range: 'full' is none of tv, pc, mpeg, jpeg, unknown");
    EXPECT_NE(refused("-i a -color_trc bt470m b").find("-color_trc: 'bt470m' is none of bt709, "), std::string::npos);
    EXPECT_NE(refused("-i a -colorspace gbr b").find("-colorspace: 'gbr'"), std::string::npos);
    EXPECT_NE(refused("-i a -colorspace 1a b").find("-colorspace: '1a'"), std::string::npos);
}

TEST(FfmpegWords, AspectsAreAsNearAsThoseOfFfmpeg) {
    EXPECT_EQ(translated("-i a -aspect 1.777 b"), "--input=a b --vf=setdar=1.777:max=255");
    EXPECT_EQ(translated("-i a -aspect 239:100 b"), "--input=a b --vf=setdar=239/100:max=255");
    EXPECT_EQ(translated("-i a -aspect 4/3 b"), "--input=a b --vf=setdar=4/3");
}

// A row whose option does not exist would never be understood.
TEST(FfmpegWords, NameOptionsThatThereAre) {
    std::set<std::string> seen;
    for (const FfmpegWord& row : ffmpeg_words()) {
        EXPECT_TRUE(row.option.empty() || find_option(row.option) != nullptr) << row.option;
        EXPECT_FALSE(row.help.empty()) << row.words;
        for (const std::string& word : split(std::string(row.words))) {
            EXPECT_TRUE(word.starts_with('-') && !word.starts_with("--")) << word;
            EXPECT_TRUE(seen.insert(word).second) << word;
            EXPECT_NE(help_text("ffmpeg").find(word), std::string::npos) << word;
        }
    }
}

TEST(ForeignFilters, AreToldByOurName) {
    EXPECT_NE(foreign_filter_hint("gblur").find("--gaussian sigma=S"), std::string::npos);
    EXPECT_NE(foreign_filter_hint("unsharp").find("--sharpen"), std::string::npos);
    EXPECT_NE(foreign_filter_hint("boxblur").find("2 luma_radius + 1"), std::string::npos);
    EXPECT_EQ(foreign_filter_hint("nonsense"), "");
    const auto told = [](std::vector<const char*> arguments) -> std::string {
        try {
            parse_command_line(arguments);
        } catch (const Error& error) {
            return error.what();
        }
        return "accepted";
    };
    for (const std::vector<const char*>& arguments : {std::vector<const char*>{"a", "b", "--filters", "gblur=5"},
                                                      {"a", "b", "--gblur", "5"},
                                                      {"a", "b", "--gblur=5"}}) {
        EXPECT_NE(told(arguments).find("--gaussian sigma=S"), std::string::npos) << told(arguments);
    }
    EXPECT_NE(told({"a", "b", "-gaussian", "5"}).find("did you mean '--gaussian'"), std::string::npos);
    EXPECT_NE(told({"a", "b", "-itsscale", "2"}).find("--help ffmpeg"), std::string::npos);
    for (const char* const word :
         {"-bits_per_raw_sample", "-metadata:g", "-filter_script", "-stdin", "-start_at_zero"}) {
        EXPECT_EQ(told({"a", "b", word, "2"}).find("did you mean"), std::string::npos) << word;
    }
}

}  // namespace
}  // namespace vfilter
