#include "bench/host_copies.h"

#include <algorithm>

namespace vfilter::bench {

HostCopies::HostCopies(const std::vector<FramePtr>& pictures, FramePool& pool) : pictures_(pictures) {
    for (const FramePtr& picture : pictures) {
        FramePtr result = make_frame();
        result->format = picture->format;
        result->width = picture->width;
        result->height = picture->height;
        pool.fill(*result, result->width, result->height);
        // One block, whose planes lie one after the other.
        const auto held = static_cast<std::size_t>(picture->buf[0]->data + picture->buf[0]->size - picture->data[0]);
        const auto room = static_cast<std::size_t>(result->buf[0]->data + result->buf[0]->size - result->data[0]);
        const auto size = std::min(held, room);
        bytes_ = bytes_ == 0 ? size : std::min(bytes_, size);
        results_.push_back(std::move(result));
    }
    for (std::size_t i = 0; i < 2 * lanes; ++i) {
        cudaStream_t stream = nullptr;
        void* memory = nullptr;
        start_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
        streams_.emplace_back(stream);
        start_check(cudaMalloc(&memory, bytes_), "cudaMalloc");
        memory_.emplace_back(memory);
    }
}

void HostCopies::run(int pictures) {
    for (int n = 0; n < pictures; ++n) {
        const auto picture = static_cast<std::size_t>(n) % pictures_.size();
        const auto lane = static_cast<std::size_t>(n) % lanes;
        start_check(cudaMemcpyAsync(memory_[lane].get(), pictures_[picture]->data[0], bytes_, cudaMemcpyHostToDevice,
                                    streams_[lane].get()),
                    "cudaMemcpyAsync");
        start_check(cudaMemcpyAsync(results_[picture]->data[0], memory_[lanes + lane].get(), bytes_,
                                    cudaMemcpyDeviceToHost, streams_[lanes + lane].get()),
                    "cudaMemcpyAsync");
    }
    for (const CudaStream& stream : streams_) {
        start_check(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize");
    }
}

}  // namespace vfilter::bench
