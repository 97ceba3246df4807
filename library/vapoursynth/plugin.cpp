// core.vfilter: a function for every filter of the table, for integer formats of 8 to 16 bits.

#include <VSConstants4.h>
#include <VapourSynth4.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "vfilter/vfilter.hpp"

namespace {

const vfilter::Context& context() {
    // VapourSynth's threads do the work, a frame each. Never destroyed: they may run on while the program ends.
    static const vfilter::Context& one = *new vfilter::Context(1);
    return one;
}

// A clip's operations: one for each plane, matrix and range that its frames say they have.
class Filter {
public:
    Filter(std::string name, std::string arguments, const VSVideoInfo& info)
        : name_(std::move(name)), arguments_(std::move(arguments)), info_(info) {
        for (int plane = 0; plane < info_.format.numPlanes; ++plane) {
            // What is wrong is told at once.
            reach_ = operation(plane, VFILTER_BT709, info_.format.colorFamily == cfRGB)->reach();
        }
        colour_ = kind_of_colour();
    }

    std::shared_ptr<const vfilter::Operation> operation(int plane, vfilter_matrix matrix, bool full_range) {
        const std::lock_guard lock(mutex_);
        std::shared_ptr<const vfilter::Operation>& made = made_[{plane, matrix, full_range}];
        if (!made) {
            const bool rgb = info_.format.colorFamily == cfRGB;
            vfilter_format format = vfilter::picture_format(info_.format.bitsPerSample, 1);
            format.components[0] = static_cast<vfilter_component>((rgb ? VFILTER_RED : VFILTER_LUMA) + plane);
            format.matrix = matrix;
            format.full_range = full_range ? 1 : 0;
            if (!rgb && plane > 0) {
                format.subsampling_x = info_.format.subSamplingW;
                format.subsampling_y = info_.format.subSamplingH;
            }
            made = std::make_shared<const vfilter::Operation>(context(), name_, arguments_, format);
        }
        return made;
    }

    /// Throws where it writes a colour, and what that is in frames of that matrix, which is none of the library's, is
    /// not known. Greys are the same with most.
    void check_matrix(std::int64_t matrix) const {
        const bool keeps_greys = matrix == VSC_MATRIX_YCGCO || matrix == VSC_MATRIX_CHROMATICITY_DERIVED_NCL ||
                                 matrix == VSC_MATRIX_CHROMATICITY_DERIVED_CL || matrix == VSC_MATRIX_ICTCP;
        if (info_.format.colorFamily == cfRGB || colour_ == Colour::none || colour_ == Colour::black ||
            (colour_ == Colour::grey && keeps_greys)) {
            return;
        }
        throw vfilter::Error(VFILTER_ERROR_UNSUPPORTED,
                             name_ + ": what its colour is in frames whose _Matrix is " + std::to_string(matrix) +
                                 " is not known; resize.Bicubic(matrix=1) before it makes them BT.709");
    }

    [[nodiscard]] bool has_region() const { return arguments_.find("region=") != std::string::npos; }
    [[nodiscard]] const VSVideoInfo& info() const { return info_; }
    /// The frames that decide frame n: the first one, and the one after the last.
    [[nodiscard]] std::pair<int, int> window(int n) const {
        return {std::max(n - reach_.first, 0), std::min(n + reach_.second + 1, info_.numFrames)};
    }
    [[nodiscard]] bool looks_at_others() const { return reach_ != std::pair(0, 0); }

    VSNode* node = nullptr;

private:
    enum class Colour { none, black, grey, other };

    // Greys have the same luma and chroma with each of the library's matrices.
    [[nodiscard]] Colour kind_of_colour() const {
        const std::string key = "colour=";
        constexpr std::uint8_t black = 16;  // of the limited range
        const std::string all = ":" + arguments_;
        const std::size_t at = all.find(":" + key);
        if (at == std::string::npos) {
            return Colour::none;
        }
        const std::string only = all.substr(at + 1, all.find(':', at + 1) - at - 1);
        Colour kind = Colour::grey;
        for (const vfilter_component component : {VFILTER_LUMA, VFILTER_CB, VFILTER_CR}) {
            std::array<std::uint8_t, 2> made{};
            for (const bool first : {true, false}) {
                vfilter_format format = vfilter::picture_format(8, 1);
                format.components[0] = component;
                format.matrix = first ? VFILTER_BT709 : VFILTER_BT2020;
                format.full_range = 0;
                const std::uint8_t any = 0;
                vfilter::Operation(context(), name_, only, format)
                    .run(vfilter::packed_picture(&any, 1, 1), vfilter::packed_picture(&made[first ? 0 : 1], 1, 1));
            }
            if (made[0] != made[1]) {
                return Colour::other;
            }
            if (component == VFILTER_LUMA && made[0] == black) {
                kind = Colour::black;
            }
        }
        return kind;
    }

    std::string name_;
    std::string arguments_;
    VSVideoInfo info_;
    std::pair<int, int> reach_;
    Colour colour_ = Colour::none;
    std::mutex mutex_;
    std::map<std::tuple<int, vfilter_matrix, bool>, std::shared_ptr<const vfilter::Operation>> made_;
};

// Where nothing says which, large pictures are BT.709 and others BT.601, as the program has it. Nothing of a matrix
// that the library does not have.
std::optional<vfilter_matrix> matrix_of(std::int64_t number, const VSVideoInfo& info) {
    constexpr int hd_width = 1280;
    constexpr int above_sd_height = 577;
    constexpr std::int64_t reserved = 3;  // by ITU-T H.273
    switch (number) {
        case VSC_MATRIX_BT470_BG:
        case VSC_MATRIX_ST170_M:
            return VFILTER_BT601;
        case VSC_MATRIX_ST240_M:
            return VFILTER_SMPTE240M;
        case VSC_MATRIX_BT2020_NCL:
        case VSC_MATRIX_BT2020_CL:
            return VFILTER_BT2020;
        case VSC_MATRIX_FCC:
            return VFILTER_FCC;
        case VSC_MATRIX_BT709:
            return VFILTER_BT709;
        case VSC_MATRIX_UNSPECIFIED:
        case reserved:
            return info.width >= hd_width || info.height >= above_sd_height ? VFILTER_BT709 : VFILTER_BT601;
        default:
            return std::nullopt;
    }
}

// A number of the frame's properties.
std::int64_t property(const VSFrame* frame, const char* key, std::int64_t otherwise, const VSAPI* vsapi) {
    int missing = 0;
    const std::int64_t value = vsapi->mapGetInt(vsapi->getFramePropertiesRO(frame), key, 0, &missing);
    return missing != 0 ? otherwise : value;
}

// Lines `field`, `field` + `fields`... of a plane of some frames.
vfilter_picture lines(const std::vector<void*>& places, int width, int height, std::ptrdiff_t stride, int bytes,
                      int field, int fields) {
    vfilter_picture picture = VFILTER_PICTURE_INIT;
    picture.places = places.data();
    picture.count = static_cast<std::ptrdiff_t>(places.size());
    picture.width = width;
    picture.height = (height - field + fields - 1) / fields;
    picture.channels = 1;
    picture.pixel_pitch = bytes;
    picture.row_pitch = stride * fields;
    return picture;
}

// Makes `to` of frame number `own` of a window.
void filter_frame(Filter& filter, const std::vector<const VSFrame*>& window, int own, VSFrame* to, const VSAPI* vsapi) {
    const VSFrame* const from = window[static_cast<std::size_t>(own)];
    const VSVideoFormat& format = filter.info().format;
    const bool interlaced = property(from, "_FieldBased", VSC_FIELD_PROGRESSIVE, vsapi) > VSC_FIELD_PROGRESSIVE;
    if (interlaced && filter.has_region()) {
        throw vfilter::Error(VFILTER_ERROR_UNSUPPORTED,
                             "a region of interlaced frames is not known here: std.SeparateFields first");
    }
    const bool rgb = format.colorFamily == cfRGB;
    // As newer versions write it, and as older ones did, with the other sense.
    const bool full_range = property(from, "_Range", -1, vsapi) >= 0
                                ? property(from, "_Range", 0, vsapi) == 1
                                : property(from, "_ColorRange", rgb ? 0 : 1, vsapi) == 0;
    const std::int64_t number = property(from, "_Matrix", VSC_MATRIX_UNSPECIFIED, vsapi);
    const std::optional<vfilter_matrix> known = matrix_of(number, filter.info());
    if (!known) {
        filter.check_matrix(number);
    }
    const vfilter_matrix matrix = known.value_or(VFILTER_BT709);
    for (int plane = 0; plane < format.numPlanes; ++plane) {
        const int height = vsapi->getFrameHeight(from, plane);
        const int width = vsapi->getFrameWidth(from, plane);
        const int fields = interlaced && height > 1 ? 2 : 1;
        const auto operation = filter.operation(plane, matrix, full_range);
        const std::ptrdiff_t from_stride = vsapi->getStride(from, plane);
        const std::ptrdiff_t to_stride = vsapi->getStride(to, plane);
        vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
        options.first = own;
        for (int field = 0; field < fields; ++field) {
            std::vector<void*> seen;
            for (const VSFrame* const frame : window) {
                // Frames of one size and format have one stride.
                seen.push_back(const_cast<std::uint8_t*>(vsapi->getReadPtr(frame, plane)) + from_stride * field);
            }
            const std::vector<void*> made{vsapi->getWritePtr(to, plane) + to_stride * field};
            operation->run(lines(seen, width, height, from_stride, format.bytesPerSample, field, fields),
                           lines(made, width, height, to_stride, format.bytesPerSample, field, fields), &options);
        }
    }
}

const VSFrame* VS_CC get_frame(int n, int reason, void* instance, void** /*frame_data*/, VSFrameContext* frame_context,
                               VSCore* core, const VSAPI* vsapi) {
    auto& filter = *static_cast<Filter*>(instance);
    const auto [first, end] = filter.window(n);
    if (reason == arInitial) {
        for (int i = first; i < end; ++i) {
            vsapi->requestFrameFilter(i, filter.node, frame_context);
        }
        return nullptr;
    }
    if (reason != arAllFramesReady) {
        return nullptr;
    }
    std::vector<const VSFrame*> window;
    for (int i = first; i < end; ++i) {
        window.push_back(vsapi->getFrameFilter(i, filter.node, frame_context));
    }
    const VSFrame* const from = window[static_cast<std::size_t>(n - first)];
    VSFrame* to = vsapi->newVideoFrame(&filter.info().format, filter.info().width, filter.info().height, from, core);
    try {
        filter_frame(filter, window, n - first, to, vsapi);
    } catch (const std::exception& error) {
        vsapi->setFilterError((std::string("vfilter: ") + error.what()).c_str(), frame_context);
        vsapi->freeFrame(to);
        to = nullptr;
    }
    for (const VSFrame* const frame : window) {
        vsapi->freeFrame(frame);
    }
    return to;
}

void VS_CC free_filter(void* instance, VSCore* /*core*/, const VSAPI* vsapi) {
    const std::unique_ptr<Filter> filter(static_cast<Filter*>(instance));
    vsapi->freeNode(filter->node);
}

std::string number_text(double number) {
    std::array<char, 32> text{};
    const int length = std::snprintf(text.data(), text.size(), "%.17g", number);
    for (char& letter : text) {
        letter = letter == ',' ? '.' : letter;  // of the locale
    }
    return {text.data(), static_cast<std::size_t>(length)};
}

// The arguments as the program's command line has them.
std::string arguments_of(const vfilter_filter& row, const VSMap* in, const VSAPI* vsapi) {
    std::string text;
    for (std::size_t i = 0; i < row.parameter_count; ++i) {
        const char* const name = vfilter_parameter_at(&row, i)->name;
        std::string value;
        switch (vsapi->mapGetType(in, name)) {
            case ptInt:
                value = std::to_string(vsapi->mapGetInt(in, name, 0, nullptr));
                break;
            case ptFloat:
                value = number_text(vsapi->mapGetFloat(in, name, 0, nullptr));
                break;
            case ptData:
                value = {vsapi->mapGetData(in, name, 0, nullptr),
                         static_cast<std::size_t>(vsapi->mapGetDataSize(in, name, 0, nullptr))};
                break;
            default:
                continue;
        }
        if (value.find(':') != std::string::npos) {  // behind which another argument would begin
            throw vfilter::Error(VFILTER_ERROR_ARGUMENT, std::string(row.name) + ": " + name + " cannot hold a ':'");
        }
        text += (text.empty() ? "" : ":") + std::string(name) + "=" + value;
    }
    return text;
}

void VS_CC create_filter(const VSMap* in, VSMap* out, void* row_pointer, VSCore* core, const VSAPI* vsapi) {
    const auto& row = *static_cast<const vfilter_filter*>(row_pointer);
    VSNode* const node = vsapi->mapGetNode(in, "clip", 0, nullptr);
    try {
        const VSVideoInfo& info = *vsapi->getVideoInfo(node);
        if (info.width == 0 || info.format.colorFamily == cfUndefined || info.format.sampleType != stInteger ||
            info.format.bitsPerSample > 16) {
            throw vfilter::Error(VFILTER_ERROR_PICTURE, "clips have one size and one integer format of 8 to 16 bits");
        }
        auto filter = std::make_unique<Filter>(row.name, arguments_of(row, in, vsapi), info);
        filter->node = node;
        const VSFilterDependency needs{node, filter->looks_at_others() ? rpGeneral : rpStrictSpatial};
        vsapi->createVideoFilter(out, row.name, &info, get_frame, free_filter, fmParallel, &needs, 1, filter.release(),
                                 core);
    } catch (const std::exception& error) {
        vsapi->mapSetError(out, (std::string("vfilter: ") + error.what()).c_str());
        vsapi->freeNode(node);
    }
}

}  // namespace

VS_EXTERNAL_API(void) VapourSynthPluginInit2(VSPlugin* plugin, const VSPLUGINAPI* vspapi) {
    vspapi->configPlugin("org.vfilter.vfilter", "vfilter", "Exact and fast filters", VS_MAKE_VERSION(0, 1),
                         VAPOURSYNTH_API_VERSION, 0, plugin);
    for (std::size_t i = 0; i < vfilter_filter_count(); ++i) {
        const vfilter_filter& row = *vfilter_filter_at(i);
        std::string name = row.name;
        name[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(name[0])));
        std::string arguments = "clip:vnode;";
        for (std::size_t j = 0; j < row.parameter_count; ++j) {
            const vfilter_parameter& parameter = *vfilter_parameter_at(&row, j);
            const std::string of_table = parameter.name;
            const bool is_switch = of_table == "dither" || of_table == "invert" || of_table == "outside";
            const char* const type =
                is_switch || parameter.kind == VFILTER_WHOLE_NUMBER || parameter.kind == VFILTER_ODD_NUMBER ? "int"
                : parameter.kind == VFILTER_NUMBER                                                          ? "float"
                                                                                                            : "data";
            if (of_table != "alpha") {  // alpha is a clip of its own in VapourSynth
                arguments += of_table + ":" + type + ":opt;";
            }
        }
        vspapi->registerFunction(name.c_str(), arguments.c_str(), "clip:vnode;", create_filter,
                                 const_cast<vfilter_filter*>(&row), plugin);
    }
}
