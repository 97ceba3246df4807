// vfilter-study: from the textbook's loop to ours, rung by rung.

#include "study/ladder.h"

namespace {

constexpr vfilter::bench::Part parts[] = {
    {"ladder", "a Gaussian, and a convolution layer, beside NVIDIA's libraries and what others published",
     vfilter::study::measure_ladder},
};

}  // namespace

int main(int argc, char** argv) {
    return vfilter::bench::run_program({"vfilter-study", "How convolution became fast: one idea a rung.", parts,
                                        [](CLI::App& /*app*/, vfilter::bench::Wishes& /*wishes*/) {}},
                                       argc, argv);
}
