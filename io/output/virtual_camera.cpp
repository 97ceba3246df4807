#include "io/output/virtual_camera.h"

extern "C" {
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string_view>
#include <utility>

#include "config/error.h"

namespace vfilter {

namespace {

struct ReadersFormat {
    AVPixelFormat format;
    std::uint32_t code;
    int row_samples;  // bytes of a row of the first plane for each pixel
};
// What browsers and programs for meetings read.
constexpr ReadersFormat readers_formats[] = {
    {AV_PIX_FMT_YUYV422, V4L2_PIX_FMT_YUYV, 2},
    {AV_PIX_FMT_YUV420P, V4L2_PIX_FMT_YUV420, 1},
    {AV_PIX_FMT_NV12, V4L2_PIX_FMT_NV12, 1},
    {AV_PIX_FMT_UYVY422, V4L2_PIX_FMT_UYVY, 2},
};

std::string letters_of(std::uint32_t code) {
    std::string letters;
    for (int shift = 0; shift < 32; shift += 8) {
        const auto letter = static_cast<char>(code >> shift & 0xff);
        letters += letter >= ' ' && letter <= '~' ? letter : '?';
    }
    return letters;
}

}  // namespace

VirtualCamera::VirtualCamera(std::string path, std::function<bool()> given_up)
    : path_(std::move(path)), given_up_(std::move(given_up)), device_(path_) {
    if (!device_.is_open()) {
        const int error = errno;
        const std::string_view hint = error == ENOENT   ? " (v4l2loopback makes such devices: modprobe v4l2loopback)"
                                      : error == EACCES ? " (your user is not in the group video)"
                                                        : "";
        throw Error(ExitCode::output, fmt::format("{}: {}{}", path_, av_message(AVERROR(error)), hint));
    }
    if (!device_.can(V4L2_CAP_VIDEO_OUTPUT)) {
        throw Error(
            ExitCode::output,
            fmt::format("{}: takes no pictures: it is no virtual camera, or another program writes to it", path_));
    }
}

std::vector<std::string> VirtualCamera::formats() const {
    std::vector<std::string> all;
    std::vector<std::string> listed;
    for (const ReadersFormat& row : readers_formats) {
        all.emplace_back(av_get_pix_fmt_name(row.format));
        constexpr unsigned max_entries = 1000;
        auto entry = blank<v4l2_fmtdesc>();
        entry.type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
        for (; entry.index < max_entries && device_(VIDIOC_ENUM_FMT, &entry) == 0; ++entry.index) {
            if (entry.pixelformat == row.code) {
                listed.push_back(all.back());
                break;
            }
        }
    }
    return listed.empty() ? all : listed;
}

void VirtualCamera::begin(const AVCodecContext& pictures, AVRational rate) {
    const auto* const row = std::ranges::find(readers_formats, pictures.pix_fmt, &ReadersFormat::format);
    const auto width = static_cast<std::uint32_t>(pictures.width);
    const auto height = static_cast<std::uint32_t>(pictures.height);
    if (row == std::end(readers_formats) || width % 2 != 0 || height % 2 != 0) {
        throw Error(ExitCode::output,
                    fmt::format("{}: pictures of {}x{} {} are not for virtual cameras, whose sides are even; --vf "
                                "'crop=trunc(iw/2)*2:trunc(ih/2)*2' makes such ones",
                                path_, width, height, av_get_pix_fmt_name(pictures.pix_fmt)));
    }
    auto format = blank<v4l2_format>();
    format.type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
    v4l2_pix_format& wanted = format.fmt.pix;
    wanted.width = width;
    wanted.height = height;
    wanted.pixelformat = row->code;
    wanted.field = V4L2_FIELD_NONE;
    wanted.bytesperline = width * static_cast<std::uint32_t>(row->row_samples);
    wanted.sizeimage = row->row_samples == 2 ? wanted.bytesperline * height : width * height * 3 / 2;
    wanted.colorspace = pictures.colorspace == AVCOL_SPC_BT709 ? V4L2_COLORSPACE_REC709 : V4L2_COLORSPACE_SMPTE170M;
    const v4l2_pix_format asked = wanted;
    if (device_(VIDIOC_S_FMT, &format) != 0) {
        const int error = errno;
        throw Error(ExitCode::output, fmt::format("{}: does not take pictures of {}x{} {}: {}{}", path_, width, height,
                                                  letters_of(row->code), av_message(AVERROR(error)),
                                                  error == EBUSY ? " (another program writes to it)" : ""));
    }
    if (wanted.width != asked.width || wanted.height != asked.height || wanted.pixelformat != asked.pixelformat) {
        const auto* const own = std::ranges::find(readers_formats, wanted.pixelformat, &ReadersFormat::code);
        throw Error(ExitCode::output,
                    fmt::format("{}: is set to {}x{} {}, and the pictures are {}x{} {}; --vf scale={}:{}{}", path_,
                                wanted.width, wanted.height, letters_of(wanted.pixelformat), width, height,
                                letters_of(row->code), wanted.width, wanted.height,
                                own != std::end(readers_formats)
                                    ? fmt::format(" --pix-fmt {} makes such ones", av_get_pix_fmt_name(own->format))
                                    : " makes them as large"));
    }
    if (wanted.bytesperline != 0 && wanted.bytesperline != asked.bytesperline) {
        throw Error(ExitCode::output, fmt::format("{}: wants rows of {} bytes, and those of the pictures have {}",
                                                  path_, wanted.bytesperline, asked.bytesperline));
    }
    // For readers that want to know; drivers need not take it.
    auto told = blank<v4l2_streamparm>();
    told.type = V4L2_BUF_TYPE_VIDEO_OUTPUT;
    told.parm.output.timeperframe = {static_cast<std::uint32_t>(rate.den), static_cast<std::uint32_t>(rate.num)};
    device_(VIDIOC_S_PARM, &told);
}

void VirtualCamera::write(std::span<const std::uint8_t> bytes) {
    constexpr int slice = 100;  // milliseconds
    for (;;) {
        const ssize_t written = ::write(device_.descriptor(), bytes.data(), bytes.size());
        const int error = errno;
        if (written == static_cast<ssize_t>(bytes.size())) {
            bytes_ += written;
            return;
        }
        if (written >= 0) {
            throw Error(ExitCode::output,
                        fmt::format("{}: took {} of {} bytes of a picture", path_, written, bytes.size()));
        }
        if ((error != EAGAIN && error != EINTR) || given_up_()) {
            throw Error(ExitCode::output, fmt::format("{}: {}", path_, av_message(AVERROR(error))));
        }
        pollfd room{device_.descriptor(), POLLOUT, 0};
        poll(&room, 1, slice);
    }
}

}  // namespace vfilter
