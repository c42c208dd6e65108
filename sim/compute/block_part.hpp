#pragma once
// The block of a layer as a part of the layer's name.

#include <string>
#include <string_view>

namespace ddlsim {

/// Returns block_name_of() without a copy. `layer` must outlive the result.
std::string_view block_part_of(const std::string& layer);

} // namespace ddlsim
