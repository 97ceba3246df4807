#pragma once

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace vfilter::test {

/// A port of this machine that nobody has at the moment, for SOCK_STREAM or SOCK_DGRAM; 0 if there is none.
inline int free_port(int type = SOCK_STREAM) {
    const int socket = ::socket(AF_INET, type, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    auto* const general = reinterpret_cast<sockaddr*>(&address);
    const bool bound = bind(socket, general, size) == 0 && getsockname(socket, general, &size) == 0;
    close(socket);
    return bound ? ntohs(address.sin_port) : 0;
}

}  // namespace vfilter::test
