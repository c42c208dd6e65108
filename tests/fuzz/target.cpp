#include "tests/fuzz/target.hpp"

#include "sim/base/error.hpp"

namespace ddlsim_fuzz {

bool accepted(const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const ddlsim::UserError& error) {
    demand(!error.mistakes().empty() && !std::string(error.what()).empty(), "a UserError without words");
    return false;
  }
}

void demand(bool holds, const std::string& words) {
  if (!holds) throw Fault(words);
}

} // namespace ddlsim_fuzz
