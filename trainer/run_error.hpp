#pragma once
// What the machine did not do although it was rightly asked; what a person did wrong is a ddlsim::UserError.

#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"

#include <filesystem>
#include <stdexcept>
#include <string>

namespace ddltrain {

/// A file that cannot be written, a library that is missing, a call that failed: exit status 1. A ddlsim::UserError
/// ends the program with status 2.
class RunError : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// ddlsim::write_file, whose failure is the machine's here. Throws RunError naming the file and the cause.
inline void write_output_file(const std::filesystem::path& file, const std::string& text) {
  try {
    ddlsim::write_file(file, text);
  } catch (const ddlsim::UserError& error) {
    throw RunError(error.what());
  }
}

} // namespace ddltrain
