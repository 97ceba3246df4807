#pragma once
// A socket that listens at a port of this machine.

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace vfilter::test {

class Listener {
public:
    /// `flags` beside SOCK_STREAM; so many may wait to be accepted; a buffer of so many bytes for what comes, 0 for the
    /// system's. Throws std::system_error.
    explicit Listener(int flags = 0, int queue = 16, int buffer = 0)
        : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | flags, 0)) {
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        socklen_t size = sizeof(address);
        auto* const general = reinterpret_cast<sockaddr*>(&address);
        if ((buffer != 0 && setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof(buffer)) != 0) ||
            bind(socket_, general, size) != 0 || listen(socket_, queue) != 0 ||
            getsockname(socket_, general, &size) != 0) {
            throw std::system_error(errno, std::generic_category(), "no port to listen at");
        }
        port_ = ntohs(address.sin_port);
    }
    ~Listener() { close(socket_); }
    Listener(const Listener&) = delete;
    Listener& operator=(const Listener&) = delete;

    [[nodiscard]] int port() const { return port_; }
    /// The next who has come, a descriptor of the caller's; negative where nobody has (SOCK_NONBLOCK), or after stop().
    [[nodiscard]] int next() const { return accept(socket_, nullptr, nullptr); }
    /// Ends a next() of another thread.
    void stop() const { shutdown(socket_, SHUT_RDWR); }

private:
    int socket_;
    int port_ = 0;
};

}  // namespace vfilter::test
