#pragma once
// What is damaged, and how: containers with their codecs, kinds of damage, and the pairs of both that leave no
// evidence.

#include <array>
#include <string_view>

namespace vfilter::test {

struct Container {
    const char* name = "";
    const char* extension = "";
    const char* codecs = "";  ///< of ffmpeg, for the whole file
    const char* format = "";  ///< of ffmpeg, for whatever writes this container
    const char* pictures = "fps=25,scale=160:90";
    bool piped = false;  ///< written where nothing can be corrected afterwards: no duration, no index
    const char* drop = "-c copy -copyinkf -bsf:v \"noise=drop='{}'\"";  ///< of ffmpeg, to leave out packets
};

#define H264 "-c:v libx264 -preset veryfast -crf 27 -g 30 -bf 2 "
#define AAC "-c:a aac -b:a 64k "
#define MP2 "-c:a mp2 -b:a 64k -ar 44100 "

inline constexpr std::array containers{
    Container{"mp4_h264", "mp4", H264 AAC, "-movflags +faststart"},
    Container{"mp4_index_last", "mp4", H264 AAC},
    Container{"mp4_fragments", "mp4", H264 AAC, "-movflags frag_keyframe+empty_moov+default_base_moof"},
    Container{"mov_mjpeg", "mov", "-c:v mjpeg -q:v 6 -pix_fmt yuvj420p -c:a pcm_s16le"},
    Container{"mkv_h264", "mkv", H264 AAC},
    Container{"mkv_piped", "mkv", H264 AAC, "-f matroska", "fps=25,scale=160:90", true},
    Container{"mkv_hevc", "mkv",
              "-c:v libx265 -preset ultrafast -g 30 -bf 2 -x265-params log-level=error:pools=1 " AAC},
    Container{"webm_vp8", "webm", "-c:v libvpx -deadline good -cpu-used 5 -b:v 300k -g 30 -c:a libvorbis"},
    Container{"webm_vp9", "webm", "-c:v libvpx-vp9 -deadline good -cpu-used 5 -b:v 300k -g 30 -c:a libopus"},
    Container{"avi_mpeg4", "avi", "-c:v mpeg4 -q:v 5 -g 30 -c:a mp3 -b:a 64k"},
    Container{"ts_h264", "ts", H264 AAC},
    Container{"ts_mpeg2", "ts", "-c:v mpeg2video -q:v 5 -g 15 -bf 2 " MP2},
    Container{"mpg_mpeg2", "mpg", "-c:v mpeg2video -q:v 5 -g 15 -bf 2 " MP2},
    Container{"ogg_theora", "ogv", "-c:v libtheora -q:v 5 -g 30 -c:a libvorbis"},
    Container{"flv_h264", "flv", H264 AAC},
    Container{"nut_mpeg4", "nut", "-c:v mpeg4 -q:v 5 -g 30 -bf 2 " MP2},
    Container{"ivf_vp8", "ivf", "-an -c:v libvpx -deadline good -cpu-used 5 -b:v 300k -g 30"},
    Container{"gif", "gif", "-an", "", "fps=12.5,scale=160:90"},
    Container{"y4m", "y4m", "-an", "", "fps=25,scale=160:90", false, "-vsync passthrough -vf \"select='not({})'\""},
};

#undef H264
#undef AAC
#undef MP2

enum class Damage { zeros, noise, bits, hole, tail, junk, packets, last_packets, first_packets };
inline constexpr std::array damage_names{"zeros", "noise",   "bits",         "hole",         "tail",
                                         "junk",  "packets", "last_packets", "first_packets"};
inline constexpr auto damages = static_cast<unsigned>(damage_names.size());

/// Damages that leave nothing in the file by which it could be told from a whole one. Not a list of excuses: what a
/// decoder or a container's checks could see does not belong here, even where they look for nothing today.
struct NoEvidence {
    std::string_view container;  ///< "" is any
    Damage damage;
    const char* reason;
};

inline constexpr std::array no_evidence{
    NoEvidence{"", Damage::last_packets,
               "written anew with headers that match; sound longer than pictures is ordinary"},
    NoEvidence{"mp4_h264", Damage::packets, "pictures on which none leans; the one before the gap is shown longer"},
    NoEvidence{"mp4_index_last", Damage::packets,
               "pictures on which none leans; the one before the gap is shown longer"},
    NoEvidence{"mp4_fragments", Damage::packets,
               "pictures on which none leans; the one before the gap is shown longer"},
    NoEvidence{"ogg_theora", Damage::packets,
               "a picture that repeats the one before has an empty packet, which copies leave out"},
    NoEvidence{"y4m", Damage::packets, "pictures without numbers or times"},
    NoEvidence{"y4m", Damage::first_packets, "pictures without numbers or times"},
    NoEvidence{"gif", Damage::packets, "the delay before the gap is longer, as that of any picture may be"},
    NoEvidence{"gif", Damage::first_packets, "every picture can be a first one"},
    NoEvidence{"mov_mjpeg", Damage::packets, "every picture stands alone; the one before the gap is shown longer"},
    NoEvidence{"mov_mjpeg", Damage::first_packets, "every picture stands alone; the pictures begin after the sound"},
    NoEvidence{"avi_mpeg4", Damage::packets,
               "the gap is filled with empty chunks: a recorder's sign for a picture skipped"},
    NoEvidence{"ivf_vp8", Damage::packets, "VP8 does not number its pictures; a pause as a camera leaves"},
};

/// Why this damage of a file of this container cannot be seen; null if it can.
inline const char* no_evidence_of(const Container& container, Damage damage) {
    for (const NoEvidence& entry : no_evidence) {
        if (entry.damage == damage && (entry.container.empty() || entry.container == container.name)) {
            return entry.reason;
        }
    }
    return nullptr;
}

}  // namespace vfilter::test
