// Fault: what is sent to an address is refused by this machine for a moment.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <system_error>
#include <thread>

#include "tests/support/faults.h"

namespace vfilter::test {

namespace {

// Somebody who takes datagrams and counts them.
class Taker {
public:
    Taker() : socket_(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof(address);
        auto* const general = reinterpret_cast<sockaddr*>(&address);
        const timeval slice{.tv_sec = 0, .tv_usec = 50'000};
        if (bind(socket_, general, size) != 0 || getsockname(socket_, general, &size) != 0 ||
            setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &slice, sizeof(slice)) != 0) {
            throw std::system_error(errno, std::generic_category(), "no port to take datagrams at");
        }
        port_ = ntohs(address.sin_port);
        thread_ = std::thread([this] { take(); });
    }
    ~Taker() {
        ended_ = true;
        thread_.join();
        close(socket_);
    }
    Taker(const Taker&) = delete;
    Taker& operator=(const Taker&) = delete;

    [[nodiscard]] int port() const { return port_; }
    [[nodiscard]] int taken() const { return taken_; }

private:
    void take() {
        std::array<char, 65536> datagram{};
        while (!ended_) {
            taken_ += recv(socket_, datagram.data(), datagram.size(), 0) > 0 ? 1 : 0;
        }
    }

    int socket_;
    int port_ = 0;
    std::atomic<int> taken_{0};
    std::atomic<bool> ended_{false};
    std::thread thread_;
};

class Unsent : public Faults {
protected:
    static constexpr int struck = 10;

    [[nodiscard]] Result send(int error, const Taker& taker, const std::string& options) const {
        return run_command(
            fmt::format(
                "LD_PRELOAD={} FAILING_CALL=sendto:{}:{} exec $VFILTER in.mkv udp://127.0.0.1:{} --allow-network "
                "--gaussian 3 --progress none --report r.json {}",
                VFILTER_FAILING_CALL, struck, error, taker.port(), options),
            folder(), limit);
    }
};

// Once a connection has failed FFmpeg sends nothing more through it, whatever the reason.
TEST_F(Unsent, IsALossOfTheAddressWhichIsTriedAgain) {
    make_clip("in.mkv", 75);
    for (const int error : {ENOBUFS, EPERM, EINVAL}) {
        SCOPED_TRACE(error);
        const Taker taker;
        const Result result = send(error, taker, "--reconnect 5");
        EXPECT_EQ(result.code, 5) << result;
        EXPECT_TRUE(says(result, "it is tried again in 0.5 s (1 of 5)")) << result;
        EXPECT_FALSE(says(result, "damaged")) << result;
        EXPECT_GT(json_of("r.json").at("packets_lost"), 0);
        EXPECT_EQ(json_of("r.json").at("damage").at("packets"), 0);
        EXPECT_GT(taker.taken(), 2 * struck) << "nothing came after it";
    }
}

TEST_F(Unsent, EndsARunThatIsNotToTryAgain) {
    make_clip("in.mkv", 75);
    const Taker taker;
    const Result result = send(ENOBUFS, taker, "");
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_TRUE(says(result, fmt::format("udp://127.0.0.1:{}: No buffer space available", taker.port()))) << result;
    EXPECT_FALSE(says(result, "damaged")) << result;
}

}  // namespace

}  // namespace vfilter::test
