#pragma once
// Compares names in the spellings that people type: "Iris", "ResNet-50 v1.5", "nccl ib".

#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// Returns the letters and digits of the text in lower case. "ResNet-50 v1.5" and "resnet50_v1.5" give the same.
std::string folded(std::string_view text);

/// Returns the one of `names` that `typed` means: the same text, or the only name with the same folded() text; "" when
/// there is none or more than one. A name with a slash is a unit, in which capitals matter, so it must be spelt
/// exactly.
std::string spelt_like(std::string_view typed, const std::vector<std::string>& names);

/// Another word for one of the program's names, as "bfloat16" is for "bf16".
struct OtherWord {
  std::string_view word; ///< the word as folded() returns it
  std::string_view name; ///< the program's name for the same thing
};

} // namespace ddlsim
