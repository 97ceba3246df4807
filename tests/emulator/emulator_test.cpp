// The emulated operations of tensor cores against the matrices that they stand for.

#include <gtest/gtest.h>

#include <array>
#include <random>

#include "kernels/cuda/ptx.cuh"

namespace vfilter::cuda {

namespace {

constexpr int columns = 8;
constexpr int rows = 16;

/// A product of one warp; bytes as they are in memory.
struct Job {
    unsigned char a[rows][32];
    unsigned char b[columns][32];  // columns of the matrix
    std::int32_t d[rows][columns];
};
struct Jobs {
    Job* of_warps;
    int valid_bytes;
};

// Rows of A by copies of 16 bytes, from a shared memory whose rows are 48 bytes apart.
template <Sign a_sign, Sign b_sign, int depth>
__global__ void multiply(const __grid_constant__ Jobs jobs) {
    extern __shared__ __align__(16) unsigned char shared[];
    const int lane = static_cast<int>(threadIdx.x) % 32;
    const int warp = static_cast<int>(threadIdx.x) / 32;
    Job& job = jobs.of_warps[blockIdx.x * (blockDim.x / 32) + static_cast<unsigned>(warp)];
    unsigned char* const own = shared + warp * rows * 48;
    cp_async_16(own + lane / 2 * 48 + lane % 2 * 16, job.a[lane / 2] + lane % 2 * 16, jobs.valid_bytes);
    cp_async_wait_all();
    __syncwarp();
    const auto word_of = [](const unsigned char* bytes) {
        return static_cast<std::uint32_t>(bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24);
    };
    const int g = lane / 4;
    const int q = lane % 4;
    std::int32_t d[4] = {job.d[g][2 * q], job.d[g][2 * q + 1], job.d[g + 8][2 * q], job.d[g + 8][2 * q + 1]};
    const std::uint32_t b0 = word_of(job.b[g] + 4 * q);
    if constexpr (depth == 32) {
        std::uint32_t a[4];
        ldmatrix_x4(a, own + lane % 16 * 48 + lane / 16 * 16);
        mma_m16n8k32<a_sign, b_sign>(d, a, b0, word_of(job.b[g] + 16 + 4 * q));
    } else {
        std::uint32_t a[2];
        ldmatrix_x2(a, lane < 16 ? own + lane * 48 : nullptr);
        mma_m16n8k16<a_sign, b_sign>(d, a, b0);
    }
    job.d[g][2 * q] = d[0];
    job.d[g][2 * q + 1] = d[1];
    job.d[g + 8][2 * q] = d[2];
    job.d[g + 8][2 * q + 1] = d[3];
}

int number(Sign sign, unsigned char byte) {
    return sign == Sign::s8 && byte > 127 ? byte - 256 : byte;
}

template <Sign a_sign, Sign b_sign, int depth>
void expect_products(int valid_bytes) {
    constexpr std::size_t warps = 4;
    std::mt19937 random(51);
    alignas(16) std::array<Job, 2 * warps> jobs;
    for (Job& job : jobs) {
        for (auto& row : job.a) {
            std::ranges::generate(row, random);
        }
        for (auto& column : job.b) {
            std::ranges::generate(column, random);
        }
        for (auto& row : job.d) {
            std::ranges::generate(row, [&] { return static_cast<std::int32_t>(random()); });
        }
    }
    std::array<Job, 2 * warps> expected = jobs;
    for (Job& job : expected) {
        for (int row = 0; row < rows; ++row) {
            for (int column = 0; column < columns; ++column) {
                auto sum = static_cast<std::uint32_t>(job.d[row][column]);
                for (int k = 0; k < depth; ++k) {
                    const unsigned char a = k % 16 < valid_bytes ? job.a[row][k] : 0;
                    sum += static_cast<std::uint32_t>(number(a_sign, a) * number(b_sign, job.b[column][k]));
                }
                job.d[row][column] = static_cast<std::int32_t>(sum);
            }
        }
    }
    Jobs launch{jobs.data(), valid_bytes};
    void* arguments[] = {&launch};
    ASSERT_EQ(cudaLaunchKernel(multiply<a_sign, b_sign, depth>, dim3(2), dim3(warps * 32), arguments, warps * rows * 48,
                               nullptr),
              cudaSuccess);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        for (int row = 0; row < rows; ++row) {
            for (int column = 0; column < columns; ++column) {
                EXPECT_EQ(jobs[i].d[row][column], expected[i].d[row][column]) << i << ": " << row << ',' << column;
            }
        }
    }
}

TEST(Emulator, MultipliesMatrices) {
    for (const int valid_bytes : {16, 5, 0}) {
        expect_products<Sign::s8, Sign::s8, 32>(valid_bytes);
        expect_products<Sign::s8, Sign::u8, 32>(valid_bytes);
        expect_products<Sign::u8, Sign::s8, 32>(valid_bytes);
        expect_products<Sign::u8, Sign::u8, 32>(valid_bytes);
        expect_products<Sign::s8, Sign::u8, 16>(valid_bytes);
        expect_products<Sign::u8, Sign::s8, 16>(valid_bytes);
    }
}

TEST(Emulator, PacksBytes) {
    EXPECT_EQ(pack_bytes(-1, 256, 77, 255), 0xff4dff00U);
    EXPECT_EQ(pack_bytes(1, 2, 3, -2147483647), 0x00030201U);
}

__global__ void forget(const __grid_constant__ int what) {
    extern __shared__ __align__(16) unsigned char shared[];
    if (what == 0 && threadIdx.x != 0) {
        __syncthreads();
    }
    if (what == 1 && threadIdx.x != 0) {
        __syncwarp();
    }
    if (what == 2) {
        shared[64] = 1;
    }
    if (what == 3) {
        cp_async_16(shared + 8, nullptr, 0);
    }
}

TEST(EmulatorDeathTest, MisuseEndsTheProgram) {
    const char* const says[] = {"deadlock: 31 of 32 threads wait at __syncthreads", "with lane 0, which has ended",
                                "after the block's shared memory", "no multiple of 16"};
    for (int what = 0; what < 4; ++what) {
        void* arguments[] = {&what};
        EXPECT_DEATH(cudaLaunchKernel(forget, dim3(1), dim3(32), arguments, 64, nullptr), says[what]);
    }
}

}  // namespace

}  // namespace vfilter::cuda
