#pragma once
// H.264 whose fields are pictures of their own.

#include <string>

namespace vfilter::test {

/// Bits of H.264 (ITU-T H.264, 7.3), which none of the encoders here makes of fields that are pictures of their own.
class H264Bits {
public:
    void put(unsigned value, int bits) {
        for (int i = bits - 1; i >= 0; --i) {
            left_ = left_ == 0 ? 8 : left_;
            if (left_ == 8) {
                bytes_.push_back(0);
            }
            --left_;
            bytes_.back() = static_cast<char>(bytes_.back() | static_cast<int>(value >> i & 1U) << left_);
        }
    }
    void put_number(unsigned value) {
        int bits = 1;
        while ((value + 1) >> bits != 0) {
            ++bits;
        }
        put(0, bits - 1);
        put(value + 1, bits);
    }
    void append(const std::string& bytes) {
        bytes_ += bytes;
        left_ = 0;
    }
    /// A NAL unit of that first byte.
    [[nodiscard]] std::string unit(char header) {
        put(1, 1);
        return std::string("\0\0\1", 3) + header + bytes_;
    }

private:
    std::string bytes_;
    int left_ = 0;  // bits of the last byte that are free
};

/// Pictures of 16x32 as two fields each, in packets of their own, all samples of both the same; without one of the
/// fields, or with one that is damaged, by their numbers.
inline std::string pictures_of_two_fields(int count, int without = -1, int damaged = -1) {
    H264Bits sequence;
    sequence.put(77, 8);
    sequence.put(0, 8);
    sequence.put(30, 8);
    for (const unsigned number : {0U, 0U, 0U, 0U, 1U}) {
        sequence.put_number(number);
    }
    sequence.put(0, 1);
    sequence.put_number(0);
    sequence.put_number(0);
    sequence.put(0b00'10'0, 5);  // fields; neither cropping nor more
    H264Bits parameters;
    parameters.put_number(0);
    parameters.put_number(0);
    parameters.put(0, 2);
    for (const unsigned number : {0U, 0U, 0U}) {
        parameters.put_number(number);
    }
    parameters.put(0, 3);
    for (const unsigned number : {0U, 0U, 0U}) {
        parameters.put_number(number);
    }
    parameters.put(0b100, 3);
    std::string stream = sequence.unit('\x67') + parameters.unit('\x68');
    for (int field = 0; field < 2 * count; ++field) {
        H264Bits slice;
        for (const unsigned number : {0U, 7U, 0U}) {
            slice.put_number(number);
        }
        slice.put(static_cast<unsigned>(field / 2 % 16), 4);
        slice.put(2U + static_cast<unsigned>(field % 2), 2);
        if (field == 0) {
            slice.put_number(0);
        }
        slice.put(static_cast<unsigned>(field % 16), 4);
        slice.put(0, field == 0 ? 2 : 1);
        slice.put_number(0);
        slice.put_number(1);
        slice.put_number(field == damaged ? 250 : 25);  // a macroblock of bytes
        slice.append(std::string(384, '\x64'));
        stream += field == without ? "" : slice.unit(field == 0 ? '\x65' : '\x61');
    }
    return stream;
}

}  // namespace vfilter::test
