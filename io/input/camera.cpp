#include "io/input/camera.h"

#include <fmt/format.h>
#include <linux/videodev2.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string_view>
#include <tuple>

#include "config/printable.h"
#include "io/folder_names.h"
#include "io/video_device.h"

namespace vfilter {

namespace {

constexpr int usual_width = 1280;
constexpr int usual_height = 720;
constexpr double usual_fps = 30;
constexpr double nearly = 0.98;         // 29.97 is as good as 30
constexpr unsigned max_entries = 1000;  // entries of a list, should a driver never end one

struct PixelFormat {
    std::uint32_t code;
    std::string_view name;  // FFmpeg's
};

// In the order of preference: more colour first, then less work; compressed last, H.264 after MJPEG because it adds
// delay.
constexpr PixelFormat formats[] = {
    {V4L2_PIX_FMT_YUYV, "yuyv422"}, {V4L2_PIX_FMT_UYVY, "uyvy422"},   {V4L2_PIX_FMT_YUV422P, "yuv422p"},
    {V4L2_PIX_FMT_NV12, "nv12"},    {V4L2_PIX_FMT_YUV420, "yuv420p"}, {V4L2_PIX_FMT_BGR24, "bgr24"},
    {V4L2_PIX_FMT_RGB24, "rgb24"},  {V4L2_PIX_FMT_BGR32, "bgr0"},     {V4L2_PIX_FMT_RGB32, "0rgb"},
    {V4L2_PIX_FMT_GREY, "gray"},    {V4L2_PIX_FMT_Y16, "gray16le"},   {V4L2_PIX_FMT_MJPEG, "mjpeg"},
    {V4L2_PIX_FMT_JPEG, "mjpeg"},   {V4L2_PIX_FMT_H264, "h264"},
};

struct Size {
    std::uint32_t width;
    std::uint32_t height;
    bool operator==(const Size&) const = default;
};
constexpr Size usual_sizes[] = {{160, 120},  {320, 240},  {352, 288},   {640, 360},   {640, 480},   {800, 600},
                                {1024, 768}, {1280, 720}, {1280, 1024}, {1920, 1080}, {2560, 1440}, {3840, 2160}};

std::ptrdiff_t preference(const CameraMode& mode) {
    return std::ranges::find(formats, mode.format, &PixelFormat::name) - std::begin(formats);
}

std::int64_t area(const CameraMode& mode) {
    return std::int64_t{mode.width} * mode.height;
}

bool fits(std::uint32_t value, std::uint32_t low, std::uint32_t high, std::uint32_t step) {
    return value >= low && value <= high && (step <= 1 || (value - low) % step == 0);
}

std::vector<Size> sizes_of(const CameraCall& call, std::uint32_t format, const CameraWish& wish) {
    std::vector<Size> sizes;
    auto entry = blank<v4l2_frmsizeenum>();
    entry.pixel_format = format;
    for (entry.index = 0; entry.index < max_entries && call(VIDIOC_ENUM_FRAMESIZES, &entry) == 0; ++entry.index) {
        if (entry.type == V4L2_FRMSIZE_TYPE_DISCRETE) {
            sizes.push_back({entry.discrete.width, entry.discrete.height});
            continue;
        }
        const v4l2_frmsize_stepwise& range = entry.stepwise;
        std::vector<Size> tried(std::begin(usual_sizes), std::end(usual_sizes));
        tried.push_back({static_cast<std::uint32_t>(wish.width), static_cast<std::uint32_t>(wish.height)});
        tried.push_back({range.max_width, range.max_height});
        for (const Size& size : tried) {
            if (size.width > 0 && fits(size.width, range.min_width, range.max_width, range.step_width) &&
                fits(size.height, range.min_height, range.max_height, range.step_height) &&
                std::ranges::find(sizes, size) == sizes.end()) {
                sizes.push_back(size);
            }
        }
        break;  // a range is the whole answer
    }
    return sizes;
}

// Drivers tell the time of a picture, and so the shortest time is the highest rate.
AVRational rate_of(const v4l2_fract& interval) {
    constexpr auto limit = static_cast<std::uint32_t>(std::numeric_limits<int>::max());
    if (interval.numerator == 0 || interval.denominator == 0 || interval.numerator > limit ||
        interval.denominator > limit) {
        return {0, 1};
    }
    return {static_cast<int>(interval.denominator), static_cast<int>(interval.numerator)};
}

std::vector<AVRational> rates_of(const CameraCall& call, std::uint32_t format, const Size& size,
                                 const CameraWish& wish) {
    std::vector<AVRational> rates;
    auto entry = blank<v4l2_frmivalenum>();
    entry.pixel_format = format;
    entry.width = size.width;
    entry.height = size.height;
    for (entry.index = 0; entry.index < max_entries && call(VIDIOC_ENUM_FRAMEINTERVALS, &entry) == 0; ++entry.index) {
        if (entry.type == V4L2_FRMIVAL_TYPE_DISCRETE) {
            rates.push_back(rate_of(entry.discrete));
            continue;
        }
        const AVRational high = rate_of(entry.stepwise.min);
        const AVRational low = rate_of(entry.stepwise.max);
        rates.push_back(high);
        constexpr int finest = 1001;
        const AVRational wanted = av_d2q(wish.fps.value_or(usual_fps), finest);
        if (av_cmp_q(low, wanted) < 0 && av_cmp_q(wanted, high) < 0) {
            rates.push_back(wanted);
        }
        rates.push_back(low);
        break;
    }
    if (rates.empty()) {
        rates.push_back({0, 1});
    }
    return rates;
}

bool is_camera(const VideoDevice& device) {
    return device.can(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING);
}

std::vector<std::string> device_files() {
    const std::string folder = "/dev";
    constexpr std::string_view start = "video";
    std::vector<int> numbers;
    for_each_name(folder, [&](const std::string& name) {
        constexpr std::size_t max_length = 4;
        if (name.starts_with(start) && name.size() > start.size() && name.size() <= start.size() + max_length &&
            name.find_first_not_of("0123456789", start.size()) == std::string::npos) {
            numbers.push_back(std::stoi(name.substr(start.size())));
        }
    });
    std::ranges::sort(numbers);
    std::vector<std::string> paths;
    paths.reserve(numbers.size());
    for (const int number : numbers) {
        paths.push_back(fmt::format("{}/{}{}", folder, start, number));
    }
    return paths;
}

std::string rate_text(AVRational rate) {
    return rate.num > 0 ? fmt::format("{:.4g}", av_q2d(rate)) : "?";
}

// A line for each format and size, with its rates.
std::string mode_lines(const std::vector<CameraMode>& modes) {
    std::string text;
    const CameraMode* last = nullptr;
    for (const CameraMode& mode : modes) {
        const bool same =
            last != nullptr && last->format == mode.format && last->width == mode.width && last->height == mode.height;
        text += same ? ", "
                     : fmt::format("{}  {:<10}{:<11}", last != nullptr ? " fps\n" : "", mode.format,
                                   fmt::format("{}x{}", mode.width, mode.height));
        text += rate_text(mode.rate);
        last = &mode;
    }
    return modes.empty() ? "  tells no formats\n" : text + " fps\n";
}

}  // namespace

std::optional<CameraMode> choose_mode(std::span<const CameraMode> modes, const CameraWish& wish) {
    const double wanted = wish.fps.value_or(usual_fps);
    const bool any_size = wish.width == 0;
    const auto reaches = [&](const CameraMode& mode) { return av_q2d(mode.rate) >= wanted * nearly; };
    const auto small = [](const CameraMode& mode) { return mode.width <= usual_width && mode.height <= usual_height; };
    // The size first. Candidates are ranked by whether they fit, reach the rate, how near they come to it, and how
    // large they are; above the usual size smaller is better.
    const auto worth = [&](const CameraMode& mode) {
        const bool fit = !any_size || small(mode);
        const double rate = reaches(mode) ? wanted : av_q2d(mode.rate);
        return std::tuple(fit, fit ? rate : 0, fit ? area(mode) : -area(mode), rate);
    };
    const CameraMode* best = nullptr;
    for (const CameraMode& mode : modes) {
        if ((any_size || (mode.width == wish.width && mode.height == wish.height)) &&
            (best == nullptr || worth(mode) > worth(*best))) {
            best = &mode;
        }
    }
    if (best == nullptr) {
        return std::nullopt;
    }
    // Of that size the preferred format that is as fast, and of its rates the lowest that will do.
    const double min_rate = reaches(*best) ? wanted * nearly : av_q2d(best->rate);
    std::optional<CameraMode> chosen;
    for (const CameraMode& mode : modes) {
        if (mode.width != best->width || mode.height != best->height || av_q2d(mode.rate) < min_rate) {
            continue;
        }
        const auto rank = [](const CameraMode& one) { return std::tuple(preference(one), av_q2d(one.rate)); };
        if (!chosen || rank(mode) < rank(*chosen)) {
            chosen = mode;
        }
    }
    return chosen;
}

std::vector<CameraMode> read_modes(const CameraCall& call, const CameraWish& wish) {
    std::vector<CameraMode> modes;
    auto entry = blank<v4l2_fmtdesc>();
    entry.type = V4L2_BUF_TYPE_VIDEO_CAPTURE;
    for (entry.index = 0; entry.index < max_entries && call(VIDIOC_ENUM_FMT, &entry) == 0; ++entry.index) {
        const auto* const format = std::ranges::find(formats, entry.pixelformat, &PixelFormat::code);
        if (format == std::end(formats)) {
            continue;
        }
        for (const Size& size : sizes_of(call, entry.pixelformat, wish)) {
            for (const AVRational rate : rates_of(call, entry.pixelformat, size, wish)) {
                modes.push_back(
                    {std::string(format->name), static_cast<int>(size.width), static_cast<int>(size.height), rate});
            }
        }
    }
    return modes;
}

std::vector<CameraMode> read_modes(const std::string& path, const CameraWish& wish) {
    const VideoDevice device(path);
    if (!device.is_open()) {
        throw Error(ExitCode::input, fmt::format("{}: {}", path, av_message(AVERROR(errno))));
    }
    if (!is_camera(device)) {
        throw Error(ExitCode::input, fmt::format("{}: is no camera (see --list cameras)", path));
    }
    return read_modes(std::cref(device), wish);
}

std::string first_camera() {
    for (const std::string& path : device_files()) {
        const VideoDevice device(path);
        if (is_camera(device)) {
            return path;
        }
    }
    throw Error(ExitCode::input, "webcam: there is no camera that can be opened (--list cameras tells more)");
}

std::string camera_list() {
    std::string text;
    for (const std::string& path : device_files()) {
        const VideoDevice device(path);
        if (!device.is_open()) {
            const int error = errno;
            text += fmt::format("{}: {}{}\n", path, av_message(AVERROR(error)),
                                error == EACCES ? " (your user is not in the group video)" : "");
        } else if (is_camera(device)) {
            text += fmt::format("{}: {}\n{}", path, printable(device.name()),
                                mode_lines(read_modes(std::cref(device), {})));
        } else if (device.can(V4L2_CAP_VIDEO_OUTPUT)) {
            text += fmt::format("{}: {}, a virtual camera: an output\n", path, printable(device.name()));
        }
    }
    return text.empty() ? "no camera: no device file /dev/video* captures pictures\n" : text;
}

}  // namespace vfilter
