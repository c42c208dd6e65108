#pragma once
// Progress on standard error: one line that is written over, on a terminal only.

#include <functional>
#include <string>

namespace ddlsim {

/// A function that shows what is being done once more than a second has passed; nothing when quiet or when standard
/// error is no terminal. The line is wiped when the returned object and all its copies are gone.
std::function<void(const std::string&)> make_progress(bool quiet);

} // namespace ddlsim
