#include "kernels/cuda/windows.h"

namespace vfilter::cuda {

Windows describe_windows(std::span<const PlaneJob> jobs) {
    Windows windows{};
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        windows.counts[i] = static_cast<int>(jobs[i].neighbours.size());
        for (std::size_t n = 0; n < jobs[i].neighbours.size(); ++n) {
            const NeighbourPlane& neighbour = jobs[i].neighbours[n];
            windows.rows[i][n] = {static_cast<const unsigned char*>(neighbour.data), neighbour.pitch};
        }
    }
    return windows;
}

}  // namespace vfilter::cuda
