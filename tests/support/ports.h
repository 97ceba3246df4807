#pragma once
// Ports of this machine: free ones, and those at which somebody is there.

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace vfilter::test {

inline bool is_free(int port, int type) {
    const int socket = ::socket(AF_INET, type, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    const bool bound = bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
    close(socket);
    return bound;
}

/// An even port of this machine that nobody has at the moment, nor the one behind it, for SOCK_STREAM or SOCK_DGRAM; 0
/// if there is none. Tests that run at the same time get different ones, as each process looks among its own.
inline int free_port(int type = SOCK_STREAM) {
    constexpr int first = 10'000;  // up to 31'999: below those that the system gives to whoever asks for none
    constexpr int own = 20;
    constexpr int processes = 1100;
    static int next = 0;
    for (int tried = 0; tried < own; tried += 2, next = (next + 2) % own) {
        const int port = first + getpid() % processes * own + next;
        if (is_free(port, type) && is_free(port + 1, type)) {
            next = (next + 2) % own;
            return port;
        }
    }
    return 0;
}

/// The rest of the line of a socket that begins so, in the system's table.
inline std::string socket_line(const std::string& table, const std::string& beginning) {
    std::ifstream file("/proc/net/" + table);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    const std::size_t found = text.find(beginning);
    return found == std::string::npos ? "" : text.substr(found, text.find('\n', found) - found);
}

/// Waits until somebody listens on the port, or takes what is sent there (SOCK_DGRAM). Nobody connects to find out:
/// many a listener takes one connection.
inline bool wait_for_listener(int port, int type = SOCK_STREAM) {
    const std::string table = type == SOCK_STREAM ? "tcp" : "udp";
    const std::string old = fmt::format(":{:04X} 00000000:0000 {}", port, type == SOCK_STREAM ? "0A" : "");
    const std::string six = fmt::format(":{:04X} {:032}:0000 {}", port, 0, type == SOCK_STREAM ? "0A" : "");
    constexpr std::chrono::seconds patience{40};
    const auto end = std::chrono::steady_clock::now() + patience;
    while (std::chrono::steady_clock::now() < end) {
        if (!socket_line(table, old).empty() || !socket_line(table + "6", six).empty()) {
            return true;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return false;
}

}  // namespace vfilter::test
