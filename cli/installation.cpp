#include "cli/installation.hpp"

#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <fstream>
#include <system_error>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

constexpr const char* version_file = "VERSION";

/// Characters of a version that are shown. A file of another kind may have this name.
constexpr std::size_t longest_version = 32;

} // namespace

fs::path installed_data_folder(bool must_be) {
  std::error_code ignored;
  const auto program = fs::read_symlink("/proc/self/exe", ignored);
  auto installed = program.parent_path().parent_path() / "share" / "ddlsim";
  const bool is_there = exists(installed / version_file, ignored) || exists(installed / "platforms", ignored);
  return must_be || is_there ? installed : fs::path{};
}

void require_installed_data(const fs::path& installed) {
  std::error_code ignored;
  if (exists(installed / "platforms", ignored)) return;
  throw UserError(installed.string(), "",
                  "has no platforms/, where ddlsim expects the clusters that it was installed with; install ddlsim "
                  "again, or name a folder with platforms/ and scenarios/ by --data");
}

std::string other_version(const fs::path& data, const std::string& program) {
  std::ifstream in(data / version_file);
  std::string of_data;
  if (!(in >> of_data) || of_data == program) return "";
  return fmt::format("the data in {} are of ddlsim {}, and this is ddlsim {}", data.string(),
                     of_data.substr(0, longest_version), program);
}

std::string broken_installation(const fs::path& installed, const std::string& message) {
  if (installed.empty() || !message.starts_with(installed.string() + "/")) return "";
  return fmt::format("{} belongs to the installation of ddlsim: if you have not changed it, install ddlsim again, or "
                     "name a whole copy of it with --data",
                     installed.string());
}

} // namespace ddlsim
