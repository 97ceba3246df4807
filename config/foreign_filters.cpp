#include "config/foreign_filters.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "config/lavfi/facts.h"
#include "config/option_table.h"

namespace vfilter {

namespace {

struct ForeignFilter {
    std::string_view name;
    std::string_view ours;  ///< an option with its arguments
    std::string_view how;   ///< how FFmpeg's arguments become ours
};

constexpr ForeignFilter likes[] = {
    {"gblur", "--gaussian sigma=S", "S as gblur's sigma"},
    {"unsharp", "--sharpen AMOUNT:size=N", "AMOUNT as unsharp's luma_amount, N as its luma_msize_x"},
    {"boxblur", "--box N", "N = 2 luma_radius + 1, again for each further luma_power"},
    {"avgblur", "--box N", "N = 2 sizeX + 1"},
    {"dblur", "--motion N", "N as long as the streak"},
    {"smartblur", "--gaussian sigma=S", "S as smartblur's luma_radius; it has no threshold"},
    {"convolution", "--kernel \"1 2 1; 2 4 2; 1 2 1\"", "rows parted by ;, divided by their sum unless normalise=no"},
    {"edgedetect", "--sobel", "edges as they are, without hysteresis"},
    {"kirsch", "--sobel", "the nearest"},
    {"roberts", "--sobel", "the nearest"},
    {"hqdn3d", "--denoise medium", "light for weak, strong for strong settings; frames=1 for several pictures"},
    {"atadenoise", "--taverage N:limit=L", "2 N + 1 as atadenoise's s; or --denoise medium:frames=1"},
    {"tmix", "--taverage N", "2 N + 1 as tmix's frames, all of the same weight"},
    {"tmedian", "--tmedian N", "N as tmedian's radius, and the middle one: percentile=0.5"},
    {"nlmeans", "--nlmeans SIGMA", "SIGMA the noise in steps of 8 bits, with patch and search as nlmeans' p and r"},
    {"bilateral", "--bilateral SIGMA:space=S",
     "SIGMA = 255 sigmaR, S as bilateral's sigmaS, which windows cut off above 8"},
    {"deband", "--deband THRESHOLD:range=R",
     "THRESHOLD = 255 1thr, R as deband's range; blur=on is its blur=1, which it has unless told otherwise"},
    {"guided", "--guided SIGMA:size=N", "SIGMA = 255 sqrt(eps), N = 2 radius + 1; each plane is its own guide"},
    {"median", "--median N", "N = 2 radius + 1, and the middle one: percentile=0.5"},
    {"pixelize", "--pixelate SIZE", "SIZE as pixelize's width"},
    {"drawbox", "--fill COLOUR:region=X,Y,W,H", "of a drawbox with t=fill"},
    {"delogo", "--gaussian 31:region=X,Y,W,H", "which blurs the place"},
};

}  // namespace

std::string foreign_filter_hint(std::string_view name) {
    const bool runs_foreign = find_option("vf") != nullptr;
    const auto* const like = std::ranges::find(likes, name, &ForeignFilter::name);
    const std::string_view ours = like == std::end(likes) ? "" : like->ours;
    if (!ours.empty() && find_filter(ours.substr(2, ours.find(' ') - 2)) != nullptr) {
        return fmt::format("; ours is {}: {}{}", ours, like->how,
                           runs_foreign ? fmt::format("; --vf {} is FFmpeg's own", name) : "");
    }
    if (runs_foreign && (like != std::end(likes) || lavfi::has(name, lavfi::sought))) {
        return fmt::format("; FFmpeg's own filters go to --vf: --vf {}=...", name);
    }
    return "";
}

}  // namespace vfilter
