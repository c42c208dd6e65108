#pragma once
// What a fuzzer feeds: one row a reader of files, and one a question that is asked of what `check` accepts.

#include "sim/base/error.hpp"

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

/// The part of them that reads what people bring: importers, and a config.
std::vector<Target> importer_targets();

/// The part of them that `new cluster` and `new gpu` have.
std::vector<Target> own_reader_targets();

/// Readers of ddltrain.
const std::vector<Target>& trainer_targets();

/// `check`, then `predict` or `plan` on whatever `check` accepts.
const std::vector<Target>& answer_targets();

/// Throws Fault with the words unless it holds.
inline void demand(bool holds, const std::string& words) {
  if (!holds) throw Fault(words);
}

/// Runs `read`; false where a UserError says what is wrong. Throws Fault where that error says nothing.
inline bool accepted(const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const ddlsim::UserError& error) {
    demand(!error.mistakes().empty() && !std::string(error.what()).empty(), "a UserError without words");
    return false;
  }
}

} // namespace ddlsim_fuzz
