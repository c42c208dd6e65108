#pragma once
// A stack that no preset is of: a record whose framework nobody named, or one that nobody wrote a preset for.

#include "sim/formats/preset.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ddlsim {

/// The name of a framework that a record leaves open.
inline constexpr const char* unnamed_framework = "unnamed";

/// What is taken of such a stack: all-reduces in DistributedDataParallel's buckets beside backward, by the library of
/// whatever carrier there is. It has the stack's own name, so that what is learnt of it is learnt of it alone.
Preset stand_in_preset(const std::string& name);

/// The preset of that name; of a name without one a stand-in, which `made` then owns.
const Preset& preset_or_stand_in(const std::vector<Preset>& presets, const std::string& name,
                                 std::shared_ptr<const Preset>& made);

/// One sentence without its stop: that no preset is of the stack, and what is taken.
std::string stand_in_text(const std::string& name);

} // namespace ddlsim
