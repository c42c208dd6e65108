#pragma once
// Names as people type them: "Iris", "ResNet-50 v1.5", "nccl ib".

#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

/// Its letters and digits, in lower case: "ResNet-50 v1.5" and "resnet50_v1.5" fold alike.
std::string folded(std::string_view text);

/// The one of `names` that is meant by `typed`: itself, or the only one that folds alike. "" where there is none, or
/// where several fold alike. A name with a slash is a unit, in which capitals count: it is never folded.
std::string spelt_like(std::string_view typed, const std::vector<std::string>& names);

/// What others call one of our names: {"bfloat16", "bf16"}.
struct OtherWord {
  std::string_view word; ///< folded
  std::string_view name; ///< ours
};

} // namespace ddlsim
