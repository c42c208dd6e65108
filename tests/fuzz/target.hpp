#pragma once
// What a fuzzer feeds: one row a reader of files, and one a question that is asked of what `check` accepts.

#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

namespace ddlsim_fuzz {

/// A reader broke its word: it threw something else than a UserError, or what it gave is not what it promises.
struct Fault : std::logic_error {
  using std::logic_error::logic_error;
};

struct Target {
  std::string name;
  std::vector<std::string> seeds; ///< good inputs, small, that `take` accepts
  /// Any text. Whether it was accepted; a UserError is the other answer. Throws Fault for a broken word.
  std::function<bool(const std::string& text)> take;
};

/// Every reader of a format, every importer, units and JSON.
const std::vector<Target>& reader_targets();

/// `check`, then `predict` or `plan` on whatever `check` accepts.
const std::vector<Target>& answer_targets();

/// Runs `read`; false where a UserError says what is wrong. Throws Fault where that error says nothing.
bool accepted(const std::function<void()>& read);

/// Throws Fault with the words unless it holds.
void demand(bool holds, const std::string& words);

} // namespace ddlsim_fuzz
