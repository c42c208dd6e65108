#pragma once
// The preset for a stack that has none: its framework is not named in a record, or has no preset yet.

#include "sim/formats/preset.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ddlsim {

/// The name of the framework in a record that does not state one.
inline constexpr const char* unnamed_framework = "unnamed";

/// Returns the preset that is assumed for such a stack: all-reduces in the buckets of DistributedDataParallel,
/// overlapped with backward, by the usual library of the transport's carrier. It has the stack's own name, so that
/// measurements of the stack apply only to it.
Preset stand_in_preset(const std::string& name);

/// Returns the preset of that name. If there is none, it makes a stand-in, which `made` then owns.
const Preset& preset_or_stand_in(const std::vector<Preset>& presets, const std::string& name,
                                 std::shared_ptr<const Preset>& made);

/// Returns a sentence, without its full stop, that the stack has no preset and what is assumed.
std::string stand_in_text(const std::string& name);

} // namespace ddlsim
