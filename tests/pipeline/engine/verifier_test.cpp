#include "pipeline/engine/verifier.h"

#include <gtest/gtest.h>

#include <string>

#include "config/error.h"
#include "pipeline/engine/filter_engine.h"
#include "tests/pipeline/engine/pictures.h"

namespace vfilter {
namespace {

using testing::filter;
using testing::random_picture;

TEST(Verifier, FindsOneWrongSample) {
    const PictureFormat format{AV_PIX_FMT_YUV420P, 64, 64, false};
    const std::vector<FilterSpec> chain{filter("gaussian", "5")};
    FramePool pool(allocate_picture);
    const auto engine = choose_device("cpu", 1)->make_engine(chain, format, pool, nullptr);
    FramePtr in = random_picture(format, pool, 1);
    engine->submit({FramePtr(av_frame_clone(in.get())), 0});
    const Frame out = engine->take();
    Verifier verifier(chain, format);
    EXPECT_NO_THROW(verifier.check(*in, *out.picture, 0));
    out.picture->data[1][5 + 7 * out.picture->linesize[1]] ^= 1;
    try {
        verifier.check(*in, *out.picture, 0);
        FAIL() << "a wrong sample was not found";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("plane 1, column 5, row 7"), std::string::npos) << error.what();
    }
}

}  // namespace
}  // namespace vfilter
