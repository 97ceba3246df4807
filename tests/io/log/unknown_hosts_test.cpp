#include "io/log/unknown_hosts.h"

#include <gtest/gtest.h>
#include <netdb.h>

namespace vfilter {
namespace {

TEST(UnknownHosts, AreFoundInWhatFfmpegLogs) {
    const std::string unknown = gai_strerror(EAI_NONAME);
    const std::string without_address = gai_strerror(EAI_NODATA);
    const std::string later = gai_strerror(EAI_AGAIN);
    const std::string known_to_nobody = "no host with the name nohost.invalid is known";
    EXPECT_EQ(unknown_host({}), "");
    EXPECT_EQ(unknown_host({"[tcp @ 0x1] Connection to tcp://host:9 failed: Connection refused"}), "");
    EXPECT_EQ(unknown_host({"[tcp @ 0x1] Failed to resolve hostname nohost.invalid: " + unknown}), known_to_nobody);
    EXPECT_EQ(unknown_host(
                  {"[a @ 0x1] something", "[srt @ 0x1] Failed to resolve hostname nohost.invalid: " + without_address}),
              known_to_nobody);
    EXPECT_EQ(unknown_host({"[udp @ 0x1] getaddrinfo(nohost.invalid, 99): " + unknown}), known_to_nobody);
    EXPECT_EQ(unknown_host({"[tcp @ 0x1] Failed to resolve hostname host: " + later}),
              "the address of host cannot be found: " + later)
        << "the name may be a good one";
}

}  // namespace
}  // namespace vfilter
