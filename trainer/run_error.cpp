#include "trainer/run_error.hpp"

#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"

namespace ddltrain {

void write_output_file(const std::filesystem::path& file, const std::string& text) {
  try {
    ddlsim::write_file(file, text);
  } catch (const ddlsim::UserError& error) {
    throw RunError(error.what());
  }
}

} // namespace ddltrain
