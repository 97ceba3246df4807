#include "library/device_chain.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>

#include "kernels/arithmetic/arithmetic.h"
#include "kernels/cuda/samples/samples.h"

namespace vfilter {

namespace {

constexpr std::ptrdiff_t kernel_alignment = 16;  // of rows: see DevicePlane
constexpr std::ptrdiff_t kernel_group = 8;       // bytes that are written at once, also at a row's end

DeviceSamples samples_of(const Pictures& pictures) {
    return {pictures.data, pictures.pixel_pitch, pictures.row_pitch, pictures.channel_pitch, pictures.picture_pitch};
}

PictureShape shape_of(const Pictures& pictures) {
    return {pictures.width, pictures.height, pictures.channels, pictures.count};
}

void queue_copy(const Pictures& from, const Pictures& to, int sample_bytes, cudaStream_t stream) {
    copy_samples(samples_of(from), samples_of(to), shape_of(from), sample_bytes, stream);
}

// Whether kernels can read them where they are; and write them.
bool suits_kernels(const Pictures& pictures, int sample_bytes, bool written) {
    const auto whole = [](std::ptrdiff_t pitch, std::ptrdiff_t count) {
        return count == 1 || pitch % kernel_alignment == 0;
    };
    const bool planar = pictures.order == Order::planar;
    const auto first = reinterpret_cast<std::uintptr_t>(
        pictures.order == Order::interleaved_backwards ? pictures.place(0, pictures.channels - 1, 0) : pictures.data);
    const std::ptrdiff_t row = std::ptrdiff_t{pictures.width} * (planar ? 1 : pictures.channels) * sample_bytes;
    return first % kernel_alignment == 0 && whole(pictures.row_pitch, pictures.height) &&
           whole(pictures.picture_pitch, pictures.count) &&
           (!planar || whole(pictures.channel_pitch, pictures.channels)) &&
           std::abs(pictures.row_pitch) <= std::numeric_limits<std::int32_t>::max() &&
           (!written || row % kernel_group == 0);
}

// The same pictures in memory of their own, as kernels like it, of that order.
Pictures suited(const Pictures& like, Order order) {
    Pictures made = packed(like, order);
    made.row_pitch = round_up<std::ptrdiff_t>(made.width * made.pixel_pitch, kernel_alignment);
    if (order == Order::planar) {
        made.channel_pitch = made.row_pitch * made.height;
    }
    made.picture_pitch = made.row_pitch * made.height * (order == Order::planar ? made.channels : 1);
    return made;
}

DevicePlane plane_of(const Pictures& pictures, std::ptrdiff_t picture, int channel, int shift) {
    const PlaneView<std::uint8_t> view = pictures.plane<std::uint8_t>(picture, channel, shift);
    // A single row's may be anything.
    const std::ptrdiff_t pitch =
        view.height > 1 ? view.stride : round_up<std::ptrdiff_t>(view.width * pictures.pixel_pitch, kernel_alignment);
    return {view.data, view.width, view.height, pitch, view.step, shift};
}

}  // namespace

DeviceChain::DeviceChain(std::shared_ptr<const Plan> plan, std::shared_ptr<const cuda::StreamPool> pool)
    : plan_(std::move(plan)), pool_(std::move(pool)) {
    const int channels = plan_->format().channels;
    for (const auto& one : plan_->steps()) {
        const bool natively = channels > 2 && one->alike && !one->leaves_all() &&
                              CudaFilter::takes_interleaved(one->operations, channels);
        steps_.push_back(std::unique_ptr<const Step>(new Step{.plan = *one, .natively = natively}));
    }
}

Order DeviceChain::order_for(const Step& step, Order order) const {
    const bool as_it_is =
        order == Order::planar || (step.plan.alike && (plan_->format().channels <= 2 || step.natively));
    return as_it_is ? order : Order::planar;
}

const CudaFilter& DeviceChain::filter_for(const Step& step, Order order) const {
    const int components = order == Order::planar ? 1 : plan_->format().channels;
    const std::lock_guard lock(step.mutex);
    std::unique_ptr<const CudaFilter>& made = components <= 2 ? step.planes : step.pixels;
    if (!made) {
        made = std::make_unique<const CudaFilter>(step.plan.operations, step.plan.spec.border, KernelChoice::automatic,
                                                  components);
    }
    return *made;
}

std::shared_ptr<const DeviceChain::Weights> DeviceChain::weights_for(const Step& step, const Pictures& like,
                                                                     bool keep) const {
    if (step.plan.spec.region.everywhere()) {
        return nullptr;
    }
    const std::lock_guard lock(step.mutex);
    const auto found =
        std::ranges::find_if(step.kept_weights, [&](const auto& weights) { return weights->made->are_of(like); });
    if (found != step.kept_weights.end()) {
        return *found;
    }
    if (!step.weights || !step.weights->made->are_of(like)) {
        std::shared_ptr<const Plan::Weights> made = step.plan.weights(plan_->format(), like);
        const int width = like.width;
        const int height = like.height;
        std::vector<std::uint8_t> all(static_cast<std::size_t>(width) * static_cast<std::size_t>(height));
        for (const PlaneWeights& plane : made->planes) {
            for (const WeightBox& box : plane.boxes) {
                for (int y = box.top; y < box.bottom(); ++y) {
                    std::copy_n(plane.row(box, y), box.width, all.begin() + std::ptrdiff_t{y} * width + box.left);
                }
            }
        }
        step.weights = std::make_shared<const Weights>(Weights{std::move(made), cuda::DeviceArray<std::uint8_t>(all)});
    }
    if (keep) {
        step.kept_weights.push_back(step.weights);
    }
    return step.weights;
}

// A kernel's code is loaded when it is first launched, and waits for what is at work: so all are launched now, on a
// small picture of nobody's.
void DeviceChain::prepare(const Pictures& like) const {
    constexpr int side = 64;
    constexpr std::size_t alignment = 256;
    Pictures small = like;
    small.width = std::min(like.width, side);
    small.height = std::min(like.height, side);
    small.count = 1;
    const std::size_t bytes =
        round_up(std::max(packed_bytes(suited(small, Order::planar)), packed_bytes(suited(small, Order::interleaved))),
                 alignment);
    const cuda::OwnStream stream;
    const cuda::StreamPool::Loan memory = pool_->lend(3 * bytes, stream.get());
    cuda_check(cudaMemsetAsync(memory.get(), 0, 3 * bytes, stream.get()), "cudaMemsetAsync");
    const auto at = [&](std::size_t number, Order order) {
        Pictures made = suited(small, order);
        made.data = static_cast<unsigned char*>(memory.get()) + number * bytes +
                    (order == Order::interleaved_backwards ? (made.channels - 1) * made.sample : 0);
        return made;
    };
    const DeviceSamples mask{static_cast<unsigned char*>(memory.get()) + 2 * bytes, 1, small.width, 0, 0};
    Order order = like.order;
    for (const auto& step : steps_) {
        if (step->plan.leaves_all()) {
            continue;
        }
        weights_for(*step, like, true);
        order = order_for(*step, order);
        const Pictures from = at(0, order);
        const Pictures to = at(1, order);
        run_step(*step, nullptr, {from, 0}, to, stream.get());
        blend_samples(mask, samples_of(from), samples_of(to), shape_of(from), plan_->sample_bytes(),
                      plan_->format().shift, stream.get());
        queue_copy(from, at(1, like.order), plan_->sample_bytes(), stream.get());
    }
    cuda_check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
}

// As many planes at once as kernels take, of as many pictures as there are.
void DeviceChain::launch(const Step& step, const Sources& sources, const Pictures& to, cudaStream_t stream) const {
    const Pictures from = sources.own(to.count);
    const CudaFilter& filter = filter_for(step, from.order);
    std::array<PlaneJob, CudaFilter::max_planes> jobs;
    std::array<std::array<NeighbourPlane, max_neighbours>, CudaFilter::max_planes> windows;
    std::size_t count = 0;
    const auto flush = [&] {
        if (count > 0) {
            filter.launch({jobs.data(), count}, stream);
            count = 0;
        }
    };
    const int shift = plan_->format().shift;
    const bool planar = from.order == Order::planar;
    for (std::ptrdiff_t picture = 0; picture < from.count; ++picture) {
        for (int plane = 0; plane < (planar ? from.channels : 1); ++plane) {
            const int channel = planar ? plane : step.plan.first_channel();
            const int index = step.plan.of_channel[static_cast<std::size_t>(channel)];
            if (index >= 0) {
                const TimeReach reach = time_reach(step.plan.operations[static_cast<std::size_t>(index)]);
                std::size_t seen = 0;
                for_each_neighbour(sources.first + picture, reach, sources.all.count, [&](std::int64_t number) {
                    const DevicePlane neighbour = plane_of(sources.all, number, plane, shift);
                    windows[count].at(seen++) = {neighbour.data, neighbour.pitch};
                });
                jobs[count] = {plane_of(from, picture, plane, shift),
                               plane_of(to, picture, plane, shift),
                               index,
                               plan_->black(channel),
                               {windows[count].data(), seen}};
                ++count;
            }
            if (count == jobs.size()) {
                flush();
            }
        }
    }
    flush();
}

// Both of the same order, and suited for kernels.
void DeviceChain::run_step(const Step& step, const Weights* weights, const Sources& sources, const Pictures& to,
                           cudaStream_t stream) const {
    const Pictures from = sources.own(to.count);
    const int bytes = plan_->sample_bytes();
    launch(step, sources, to, stream);
    if (weights != nullptr) {
        const DeviceSamples mask{const_cast<std::uint8_t*>(weights->samples.data()), 1, from.width, 0, 0};
        blend_samples(mask, samples_of(from), samples_of(to), shape_of(from), bytes, plan_->format().shift, stream);
    }
    for (int channel = 0; channel < from.channels; ++channel) {
        if (step.plan.of_channel[static_cast<std::size_t>(channel)] < 0) {
            copy_channel(samples_of(from), samples_of(to), shape_of(from), channel, bytes, stream);
        }
    }
}

// Every step but the last makes all pictures that there are: a later one may look at them.
void DeviceChain::run(const Sources& sources, const Pictures& to, const Pictures* mask, cudaStream_t stream) const {
    const Pictures from = sources.own(to.count);
    using Loan = cuda::StreamPool::Loan;
    const int bytes = plan_->sample_bytes();
    const auto lend = [&](const Pictures& like, Order order, std::unique_ptr<const Loan>& loan) {
        Pictures made = suited(like, order);
        loan.reset(new Loan(pool_->lend(packed_bytes(made), stream)));
        const std::ptrdiff_t first = order == Order::interleaved_backwards ? (made.channels - 1) * bytes : 0;
        made.data = static_cast<unsigned char*>(loan->get()) + first;
        return made;
    };
    Sources now = sources;
    std::unique_ptr<const Loan> memory;  // of `now`, unless it is the caller's
    bool filtered = false;
    std::size_t left = steps_.size();
    const bool recorded = cuda::is_recorded(stream);
    for (const auto& step : steps_) {
        --left;
        const std::shared_ptr<const Weights> weights =
            step->plan.leaves_all() ? nullptr : weights_for(*step, from, recorded);
        if (step->plan.leaves_all() || (weights && weights->made->planes.front().boxes.empty())) {
            continue;
        }
        const Order order = order_for(*step, now.all.order);
        if (order != now.all.order || !suits_kernels(now.all, bytes, false)) {
            std::unique_ptr<const Loan> turned_memory;
            const Pictures turned = lend(now.all, order, turned_memory);
            queue_copy(now.all, turned, bytes, stream);
            now.all = turned;
            memory = std::move(turned_memory);
        }
        std::unique_ptr<const Loan> next_memory;
        if (left > 0) {
            const Pictures next = lend(now.all, order, next_memory);
            run_step(*step, weights.get(), {now.all, 0}, next, stream);
            now.all = next;
        } else {
            const bool direct = to.order == order && suits_kernels(to, bytes, true);
            const Pictures next = direct ? to : lend(now.own(to.count), order, next_memory);
            run_step(*step, weights.get(), now, next, stream);
            now = {next, 0};
        }
        memory = std::move(next_memory);
        filtered = true;
    }
    const Pictures made = now.own(to.count);
    if (mask != nullptr && filtered) {
        DeviceSamples weights = samples_of(*mask);
        weights.picture_pitch = mask->count > 1 ? weights.picture_pitch : 0;
        blend_samples(weights, samples_of(from), samples_of(made), shape_of(from), bytes, plan_->format().shift,
                      stream);
    }
    if (made.data != to.data) {
        queue_copy(made, to, bytes, stream);
    }
}

}  // namespace vfilter
