// Files within addresses.

#include "io/bitstream/data_urls.h"

#include <gtest/gtest.h>

#include "io/bitstream/bytes.h"

namespace vfilter {
namespace {

// "none" where there is no content.
std::string content_in(std::string_view address) {
    const auto content = content_of_data_url(address);
    return content ? std::string(text(*content)) : "none";
}

TEST(DataUrls, HoldPercentsOrBase64) {
    EXPECT_EQ(content_in("data:,a%20b%2"), "a b%2");
    EXPECT_EQ(content_in("data:,%zz%4"), "%zz%4");
    EXPECT_EQ(content_in("data:text/plain;base64,aGVsbG8="), "hello");
    EXPECT_EQ(content_in("DATA:;charset=x ; BASE64 ,aGVs bG8"), "hello");
    EXPECT_EQ(content_in("data:;base64,aGVsbG%38%3D"), "hello") << "percents come first";
    EXPECT_EQ(content_in("data:xbase64,aGVs"), "aGVs") << "it is the kind, not how it is written";
    EXPECT_EQ(content_in("data:,a#b"), "a");
    EXPECT_EQ(content_in("data:,"), "");
    EXPECT_EQ(content_in("data:aGVs"), "none");
    EXPECT_EQ(content_in("https://a/b,c"), "none");
}

TEST(DataUrls, AreReadAsAddressesAre) {
    EXPECT_EQ(address_in("\x01 \n d\tata:\r\n,a b "), "data:,a b ");
    EXPECT_EQ(address_in(""), "");
}

}  // namespace
}  // namespace vfilter
