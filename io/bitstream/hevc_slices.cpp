#include "io/bitstream/hevc_slices.h"

#include <utility>

namespace vfilter {

namespace {

// Empty where that is not known.
std::vector<int> ends_of(const std::vector<HevcSlice>& slices) {
    std::vector<int> ends;
    int trees = 0;
    for (const HevcSlice& slice : slices) {
        if (slice.first != (trees == 0) || !slice.known || slice.tiles) {
            return {};
        }
        trees = slice.trees;
        if (!slice.first) {
            ends.push_back(slice.tree);
        }
    }
    if (trees > 0) {
        ends.push_back(trees);
    }
    return ends;
}

}  // namespace

void HevcSlices::send(const std::vector<HevcSlice>& slices, std::int64_t number) {
    std::vector<int> ends = ends_of(slices);
    const std::lock_guard lock(mutex_);
    pictures_[number].expected = std::move(ends);
}

void HevcSlices::begin(const AVCodecContext& context, std::int64_t number) {
    const std::lock_guard lock(mutex_);
    at_work_[&context] = number;
}

void HevcSlices::end_slice(const AVCodecContext& context, int tree) {
    const std::lock_guard lock(mutex_);
    const auto number = at_work_.find(&context);
    if (number == at_work_.end()) {
        return;
    }
    if (const auto picture = pictures_.find(number->second); picture != pictures_.end()) {
        picture->second.found.push_back(tree);
    }
}

std::vector<std::int64_t> HevcSlices::look(std::int64_t end, std::int64_t also) {
    std::vector<std::int64_t> wrong;
    const std::lock_guard lock(mutex_);
    std::erase_if(pictures_, [&](const auto& entry) {
        const auto& [number, picture] = entry;
        if (number >= end && number != also) {
            return false;
        }
        if (!picture.expected.empty() && !picture.found.empty() && picture.found != picture.expected) {
            wrong.push_back(number);
        }
        return true;
    });
    return wrong;
}

}  // namespace vfilter
