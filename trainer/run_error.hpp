#pragma once
// Failures of the machine, in contrast to a ddlsim::UserError, which is a mistake of the user.

#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>

namespace ddltrain {

/// A failure of the machine: a file that cannot be written, a library that is missing, a call that failed. It ends the
/// program with status 1; a ddlsim::UserError ends it with status 2.
class RunError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Calls ddlsim::write_file, whose failure is the machine's here. Throws RunError naming the file and the cause.
inline void write_output_file(const std::filesystem::path& file, const std::string& text) {
  try {
    ddlsim::write_file(file, text);
  } catch (const ddlsim::UserError& error) {
    throw RunError(error.what());
  }
}

/// Returns the text of a failure for the user: of a failure in LibTorch only the first line, without the frames of its
/// stack, with advice when memory ran out.
inline std::string failure_text(const std::exception& failure) {
  const std::string all = failure.what();
  const bool of_libtorch =
      all.find("\nException raised from ") != std::string::npos || all.find("\nframe #0: ") != std::string::npos;
  if (!of_libtorch) return all;
  std::string line = all.substr(0, all.find('\n'));
  const bool no_room =
      line.find("out of memory") != std::string::npos || line.find("can't allocate memory") != std::string::npos;
  return no_room ? line + "; a smaller --batch takes less memory" : line;
}

} // namespace ddltrain
