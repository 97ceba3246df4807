// The C interface for C++: classes that own what has to be destroyed, and exceptions instead of error codes. C++17;
// only libvfilter has to be linked. What vfilter.h says about threads, memory and pictures also applies here.
#ifndef VFILTER_VFILTER_HPP
#define VFILTER_VFILTER_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "vfilter/vfilter.h"

namespace vfilter {

// Keeps the names in this header distinct from the library's own if the library is linked statically: of two classes
// with the same name the linker would keep only one.
inline namespace interface {

/// A failed call: its status, with vfilter_error_text() as what().
class Error : public std::runtime_error {
public:
    Error(vfilter_status status, const std::string& text) : std::runtime_error(text), status_(status) {}
    [[nodiscard]] vfilter_status status() const noexcept { return status_; }

private:
    vfilter_status status_;
};

namespace detail {

inline void check(vfilter_status status) {
    if (status != VFILTER_OK) {
        throw Error(status, vfilter_error_text());
    }
}

struct Destroyer {
    void operator()(vfilter_context* context) const noexcept { vfilter_context_destroy(context); }
    void operator()(vfilter_operation* operation) const noexcept { vfilter_operation_destroy(operation); }
};

}  // namespace detail

/// Determines which threads do the work; see vfilter_context_create.
class Context {
public:
    explicit Context(int threads = 1) { create(threads, nullptr); }
    explicit Context(const vfilter_executor& executor) { create(0, &executor); }
    [[nodiscard]] vfilter_context* get() const noexcept { return context_.get(); }

private:
    void create(int threads, const vfilter_executor* executor) {
        vfilter_context* made = nullptr;
        detail::check(vfilter_context_create(threads, executor, &made));
        context_.reset(made);
    }
    std::unique_ptr<vfilter_context, detail::Destroyer> context_;
};

/// The format of gray pictures of that depth, of RGB (three channels) or of RGB with alpha (four).
inline vfilter_format picture_format(int depth, int channels) {
    vfilter_format format = VFILTER_FORMAT_INIT;
    format.depth = depth;
    format.channels = channels;
    format.full_range = 1;
    const vfilter_component colours[] = {VFILTER_RED, VFILTER_GREEN, VFILTER_BLUE, VFILTER_ALPHA};
    for (int i = 0; i < channels && i < VFILTER_MAX_CHANNELS; ++i) {
        format.components[i] = channels >= 3 ? colours[i] : i == 0 ? VFILTER_LUMA : VFILTER_ALPHA;
    }
    return format;
}

/// Pictures of std::uint8_t or std::uint16_t without gaps between rows, with interleaved channels as in OpenCV.
template <class T>
vfilter_picture packed_picture(T* data, int width, int height, int channels = 1, std::ptrdiff_t count = 1) {
    using Sample = std::remove_const_t<T>;
    static_assert(std::is_same_v<Sample, std::uint8_t> || std::is_same_v<Sample, std::uint16_t>);
    vfilter_picture picture = VFILTER_PICTURE_INIT;
    picture.data = const_cast<Sample*>(data);
    picture.width = width;
    picture.height = height;
    picture.channels = channels;
    picture.count = count;
    picture.channel_pitch = static_cast<std::ptrdiff_t>(sizeof(T));
    picture.pixel_pitch = picture.channel_pitch * channels;
    picture.row_pitch = picture.pixel_pitch * width;
    picture.picture_pitch = picture.row_pitch * height;
    return picture;
}

/// A filter or a chain of filters, prepared for a format.
class Operation {
public:
    Operation(const Context& context, const std::string& filter, const std::string& arguments,
              const vfilter_format& format)
        : Operation(context, {{filter, arguments}}, format) {}
    /// Filters with their arguments, in the order in which they run.
    Operation(const Context& context, const std::vector<std::pair<std::string, std::string>>& chain,
              const vfilter_format& format) {
        std::vector<vfilter_step> steps;
        steps.reserve(chain.size());
        for (const auto& [filter, arguments] : chain) {
            if (filter.find('\0') != std::string::npos || arguments.find('\0') != std::string::npos) {
                throw Error(VFILTER_ERROR_ARGUMENT, "a filter's text has a zero byte in it");
            }
            steps.push_back({filter.c_str(), arguments.c_str()});
        }
        vfilter_operation* made = nullptr;
        detail::check(vfilter_chain_create(context.get(), steps.data(), steps.size(), &format, &made));
        operation_.reset(made);
    }

    void run(const vfilter_picture& source, const vfilter_picture& result,
             const vfilter_run_options* options = nullptr) const {
        detail::check(vfilter_run(operation_.get(), &source, &result, options));
    }
    void prepare(const vfilter_picture& like) const {
        detail::check(vfilter_operation_prepare(operation_.get(), &like));
    }
    /// How many pictures before and after a picture its result depends on; see vfilter_operation_reach.
    [[nodiscard]] std::pair<int, int> reach() const {
        std::pair<int, int> made;
        detail::check(vfilter_operation_reach(operation_.get(), &made.first, &made.second));
        return made;
    }
    [[nodiscard]] const vfilter_operation* get() const noexcept { return operation_.get(); }

private:
    std::unique_ptr<vfilter_operation, detail::Destroyer> operation_;
};

}  // namespace interface
}  // namespace vfilter

#endif
