#pragma once
// A server of HTTP on this machine, with the faults that tests want of one.

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/support/listener.h"

namespace vfilter::test {

/// Serves the files of a folder while it lives, and closes each connection behind its answer: NAME whole,
/// unsized/NAME without telling how many bytes there are, cut/NAME with half of them, chunked/NAME in chunks of 1000
/// bytes (chunked/cut/NAME breaks off within one; chunked/closing/NAME says that the connection ends with it, so that a
/// reader may take its end for that of the answer). What is not there is 404.
class HttpServer {
public:
    explicit HttpServer(std::filesystem::path folder) : folder_(std::move(folder)) {
        thread_ = std::thread([this] { serve(); });
    }
    ~HttpServer() {
        listener_.stop();
        thread_.join();
    }
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;

    /// The address of a file.
    [[nodiscard]] std::string url(std::string_view name) const {
        return fmt::format("http://127.0.0.1:{}/{}", listener_.port(), name);
    }

private:
    void serve() {
        std::vector<std::thread> answers;  // a reader may have several open, and read them as it likes
        for (int reader = listener_.next(); reader >= 0; reader = listener_.next()) {
            answers.emplace_back([this, reader] {
                answer(reader);
                close(reader);
            });
        }
        for (std::thread& thread : answers) {
            thread.join();
        }
    }

    void answer(int reader) const {
        std::string request;
        while (request.find("\r\n\r\n") == std::string::npos) {
            char more[1024];
            const ssize_t got = recv(reader, more, sizeof(more), 0);
            if (got <= 0) {
                return;
            }
            request.append(more, static_cast<std::size_t>(got));
        }
        const std::size_t begin = request.find('/') + 1;
        std::string name = request.substr(begin, request.find(' ', begin) - begin);
        const auto takes = [&](std::string_view folder) {
            const bool has = name.starts_with(folder);
            name.erase(0, has ? folder.size() : 0);
            return has;
        };
        const bool unsized = takes("unsized/");
        const bool chunked = takes("chunked/");
        const bool closing = takes("closing/");
        const bool cut = takes("cut/");
        std::ifstream file(folder_ / name, std::ios::binary);
        if (!file) {
            send(reader, "HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
            return;
        }
        std::string content(std::istreambuf_iterator<char>(file), {});
        if (chunked) {
            send(reader, fmt::format("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n{}\r\n",
                                     closing ? "Connection: close\r\n" : ""));
            send_chunks(reader, content, cut);
            return;
        }
        send(reader, fmt::format("HTTP/1.1 200 OK\r\nConnection: close\r\n{}\r\n",
                                 unsized ? "" : fmt::format("Content-Length: {}\r\n", content.size())));
        send(reader, std::string_view(content).substr(0, cut ? content.size() / 2 : content.size()));
    }

    static void send_chunks(int reader, std::string_view content, bool cut) {
        constexpr std::size_t size = 1000;
        std::size_t end = cut ? content.size() / 2 : content.size();
        // Of MPEG-TS, which has no end of its own, where a picture ends: at a packet that begins one of stream 0x100.
        constexpr std::size_t packet = 188;
        end -= cut && content.front() == 'G' ? end % packet : 0;
        while (cut && content.front() == 'G' && end > 0 && (content[end + 1] & 0x5F) != 0x41) {
            end -= packet;
        }
        for (std::size_t at = 0; at < end; at += size) {
            const std::string_view own = content.substr(at, size);
            send(reader, fmt::format("{:x}\r\n", own.size()));
            send(reader, own.substr(0, end - at));
            send(reader, at + size > end && cut ? "" : "\r\n");
        }
        send(reader, cut ? "" : "0\r\n\r\n");
    }
    static void send(int reader, std::string_view text) {
        while (!text.empty()) {
            const ssize_t sent = ::send(reader, text.data(), text.size(), MSG_NOSIGNAL);
            if (sent <= 0) {
                return;
            }
            text.remove_prefix(static_cast<std::size_t>(sent));
        }
    }

    std::filesystem::path folder_;
    Listener listener_;
    std::thread thread_;
};

}  // namespace vfilter::test
