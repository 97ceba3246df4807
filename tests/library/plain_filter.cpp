#include "tests/library/plain_filter.h"

#include <algorithm>

#include "filters/filters.h"
#include "kernels/cpu/scalar.h"

namespace vfilter::test {

std::vector<std::string> filter_names() {
    std::vector<std::string> names;
    for (const FilterDef& def : filter_table()) {
        names.emplace_back(def.name);
    }
    return names;
}

std::string example_arguments(const std::string& filter) {
    std::string text(find_filter(filter)->example);
    std::erase(text, '"');
    return text;
}

PlainPlane filter_plainly(const std::string& filter, const std::string& arguments, const PlainFormat& format, int width,
                          int height, const PlainPlane& samples) {
    return filter_plainly(filter, arguments, format, width, height, std::vector<PlainPlane>(1, samples), 0);
}

PlainPlane filter_plainly(const std::string& filter, const std::string& arguments, const PlainFormat& format, int width,
                          int height, const std::vector<PlainPlane>& video, int picture) {
    const PlainPlane& samples = video[static_cast<std::size_t>(picture)];
    const FilterSpec spec = parse_filter(*find_filter(filter), arguments);
    const auto component = static_cast<Component>(format.component);
    const std::optional<Operation> made = plane_operation(spec, {.depth = format.depth,
                                                                 .pitch_x = 1 << format.subsampling,
                                                                 .pitch_y = 1 << format.subsampling,
                                                                 .components = {component, component},
                                                                 .full_range = format.full_range});
    if (!made) {
        return samples;
    }
    const bool chroma = component == Component::cb || component == Component::cr;
    const int black = chroma                                               ? 1 << (format.depth - 1)
                      : component == Component::luma && !format.full_range ? 16 << (format.depth - 8)
                                                                           : 0;
    const auto run = [&]<class T>(T /*sample*/) {
        const auto pitch = static_cast<std::ptrdiff_t>(sizeof(T)) * width;
        std::vector<std::vector<T>> all;
        std::vector<PlaneView<const T>> views;
        for (const PlainPlane& plane : video) {
            all.emplace_back(plane.begin(), plane.end());
            views.push_back({all.back().data(), width, height, pitch});
        }
        const TimeReach reach = time_reach(*made);
        std::vector<PlaneView<const T>> neighbours;
        for (int offset = -reach.before; offset <= reach.after; ++offset) {
            if (offset != 0) {
                const auto count = static_cast<std::int64_t>(video.size());
                neighbours.push_back(views[static_cast<std::size_t>(picture_in_time(picture, offset, reach, count))]);
            }
        }
        std::vector<T> to(samples.size());
        filter_scalar<T>(*made, views[static_cast<std::size_t>(picture)], neighbours,
                         PlaneView<T>{to.data(), width, height, pitch}, spec.border, black, 0, height);
        return PlainPlane(to.begin(), to.end());
    };
    return format.depth == 8 ? run(std::uint8_t{}) : run(std::uint16_t{});
}

}  // namespace vfilter::test
