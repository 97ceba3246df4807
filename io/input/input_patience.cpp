#include "io/input/input_patience.h"

namespace vfilter {

bool InputPatience::is_over(const AVIOContext* bytes, Duration more) {
    if (most_ == Duration::zero()) {
        return false;
    }
    if (bytes != nullptr && bytes->bytes_read != heard_bytes_) {
        heard_bytes_ = bytes->bytes_read;
        hear();
    }
    over_ = over_ || clock_.look() - heard_ > most_ + more;
    return over_;
}

}  // namespace vfilter
