// The functions of vfilter.h.

#include <algorithm>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

#include "library/callers_thread.h"
#include "library/catalogue.h"
#include "library/chain.h"
#include "library/context.h"
#include "library/failure.h"

struct vfilter_context {
    std::shared_ptr<const vfilter::Context> context;
};

struct vfilter_operation {
    vfilter::Chain chain;
};

namespace {

thread_local char error_text[1024];

// How many bytes the first character has; 0 if it is none of UTF-8.
std::size_t character_bytes(std::string_view text) noexcept {
    const auto byte = [&](std::size_t i) -> unsigned { return static_cast<unsigned char>(text[i]); };
    const unsigned first = byte(0);
    const std::size_t bytes = first < 0x80U ? 1 : first < 0xC2U ? 0 : first < 0xE0U ? 2 : first < 0xF0U ? 3 : 4;
    if (first > 0xF4U || bytes > text.size()) {
        return 0;
    }
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xC0U) != 0x80U) {
            return 0;
        }
    }
    // Longer than need be, halves of pairs, and beyond the last one.
    const bool wrong = (first == 0xE0U && byte(1) < 0xA0U) || (first == 0xEDU && byte(1) >= 0xA0U) ||
                       (first == 0xF0U && byte(1) < 0x90U) || (first == 0xF4U && byte(1) >= 0x90U);
    return wrong ? 0 : bytes;
}

vfilter_status fail(vfilter_status status, std::string_view what) noexcept {
    // In one line and in UTF-8, whatever was typed.
    constexpr unsigned char first_printable = 0x20;
    constexpr const char* digits = "0123456789abcdef";
    std::size_t length = 0;
    while (!what.empty()) {
        const std::size_t bytes = character_bytes(what);
        const auto first = static_cast<unsigned char>(what.front());
        const char number[] = {'\\', 'x', digits[first >> 4U], digits[first & 0xFU]};
        const std::string_view shown = bytes == 0                ? std::string_view(number, sizeof number)
                                       : first < first_printable ? std::string_view("?")
                                                                 : what.substr(0, bytes);
        if (length + shown.size() >= sizeof error_text) {
            break;  // not inside a character
        }
        length += shown.copy(error_text + length, shown.size());
        what.remove_prefix(std::max<std::size_t>(bytes, 1));
    }
    error_text[length] = '\0';
    return status;
}

// A message that the program shares, without what it advises and the library does not take.
std::string without_files(std::string_view message) {
    constexpr std::string_view advice = " (see --help ";
    std::string what(message.substr(0, message.rfind(advice)));
    constexpr std::string_view pieces[] = {" (mask=FILE)", ", or file=NAME", " or a mask"};
    for (const std::string_view piece : pieces) {
        if (what.ends_with(piece)) {
            what.erase(what.size() - piece.size());
        }
    }
    return what;
}

template <class Call>
vfilter_status guarded(const Call& call) noexcept {
    const vfilter::CallersThread whole_call;
    try {
        call();
        return VFILTER_OK;
    } catch (const vfilter::Failure& failure) {
        return fail(failure.status(), failure.what());
    } catch (const std::invalid_argument& error) {
        try {
            return fail(VFILTER_ERROR_ARGUMENT, without_files(error.what()));
        } catch (const std::bad_alloc&) {
            return fail(VFILTER_ERROR_ARGUMENT, error.what());
        }
    } catch (const std::bad_alloc&) {
        return fail(VFILTER_ERROR_MEMORY, "there is not enough memory");
    } catch (const std::exception& error) {
        return fail(VFILTER_ERROR_INTERNAL, error.what());
    } catch (...) {
        return fail(VFILTER_ERROR_INTERNAL, "something was thrown that is no error");
    }
}

void need(const void* pointer, const char* name) {
    if (pointer == nullptr) {
        throw vfilter::Failure(VFILTER_ERROR_ARGUMENT, std::string(name) + " is NULL");
    }
}

// One that cannot be made is as if there were none.
const vfilter::Catalogue* catalogue() noexcept {
    const vfilter::CallersThread while_made;
    try {
        return &vfilter::Catalogue::get();
    } catch (...) {
        return nullptr;
    }
}

}  // namespace

extern "C" {

const char* vfilter_version(void) {
    return VFILTER_VERSION;
}

int vfilter_abi_version(void) {
    return VFILTER_ABI_VERSION;
}

const char* vfilter_error_text(void) {
    return error_text;
}

vfilter_status vfilter_context_create(int threads, const vfilter_executor* executor, vfilter_context** context) {
    return guarded([&] {
        need(context, "context");
        *context = nullptr;
        *context = new vfilter_context{std::make_shared<const vfilter::Context>(threads, executor)};
    });
}

void vfilter_context_destroy(vfilter_context* context) {
    delete context;
}

vfilter_status vfilter_chain_create(vfilter_context* context, const vfilter_step* steps, size_t count,
                                    const vfilter_format* format, vfilter_operation** operation) {
    return guarded([&] {
        need(operation, "operation");
        *operation = nullptr;
        need(context, "context");
        if (count == 0) {
            throw vfilter::Failure(VFILTER_ERROR_ARGUMENT, "a chain has at least one filter");
        }
        need(steps, "steps");
        need(format, "format");
        *operation = new vfilter_operation{{context->context, std::span(steps, count), *format}};
    });
}

vfilter_status vfilter_operation_create(vfilter_context* context, const char* filter, const char* arguments,
                                        const vfilter_format* format, vfilter_operation** operation) {
    const vfilter_step step{filter, arguments};
    return vfilter_chain_create(context, &step, 1, format, operation);
}

vfilter_status vfilter_operation_prepare(const vfilter_operation* operation, const vfilter_picture* like) {
    return guarded([&] {
        need(operation, "operation");
        operation->chain.prepare(like);
    });
}

void vfilter_operation_destroy(vfilter_operation* operation) {
    delete operation;
}

vfilter_status vfilter_operation_reach(const vfilter_operation* operation, int* before, int* after) {
    return guarded([&] {
        need(operation, "operation");
        need(before, "before");
        need(after, "after");
        const vfilter::TimeReach reach = operation->chain.reach();
        *before = reach.before;
        *after = reach.after;
    });
}

vfilter_status vfilter_run(const vfilter_operation* operation, const vfilter_picture* source,
                           const vfilter_picture* result, const vfilter_run_options* options) {
    return guarded([&] {
        need(operation, "operation");
        operation->chain.run(source, result, options);
    });
}

vfilter_status vfilter_device_of(const void* data, int* device) {
    return guarded([&] {
        need(device, "device");
        *device = vfilter::device_of(data);
    });
}

vfilter_status vfilter_device_allocate(vfilter_context* context, int device, void* stream, size_t bytes, void** data) {
    return guarded([&] {
        need(context, "context");
        need(data, "data");
        *data = nullptr;
        *data = vfilter::device_allocate(context->context->device_memory(), device, stream, bytes);
    });
}

vfilter_status vfilter_device_free(vfilter_context* context, void* data) {
    return guarded([&] {
        need(context, "context");
        vfilter::device_free(context->context->device_memory(), data);
    });
}

vfilter_status vfilter_stream_follow(int device, void* stream, void* earlier) {
    return guarded([&] { vfilter::stream_follow(device, stream, earlier); });
}

vfilter_status vfilter_stream_wait(int device, void* stream) {
    return guarded([&] { vfilter::stream_wait(device, stream); });
}

size_t vfilter_filter_count(void) {
    const vfilter::Catalogue* const all = catalogue();
    return all == nullptr ? 0 : all->size();
}

const vfilter_filter* vfilter_filter_at(size_t index) {
    const vfilter::Catalogue* const all = catalogue();
    return all == nullptr ? nullptr : all->at(index);
}

const vfilter_filter* vfilter_filter_named(const char* name) {
    const vfilter::Catalogue* const all = catalogue();
    return all == nullptr || name == nullptr ? nullptr : all->named(name);
}

const vfilter_parameter* vfilter_parameter_at(const vfilter_filter* filter, size_t index) {
    const vfilter::Catalogue* const all = catalogue();
    return all == nullptr ? nullptr : all->parameter(filter, index);
}

}  // extern "C"
