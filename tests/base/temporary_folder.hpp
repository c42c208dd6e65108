#pragma once
// A folder for the files of one test, and the mistakes that reading one of them reports.

#include "sim/base/error.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace ddlsim_test {

/// A folder that is gone with its content when the test ends.
class TemporaryFolder {
public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "ddlsim-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file, making the folders on its way.
  std::filesystem::path write(const std::string& name, const std::string& content) const {
    std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << content;
    return file;
  }

private:
  std::filesystem::path path_;
};

/// All of a file; "" when there is none.
inline std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// Lines of what(), without the file's name in front; empty when nothing was thrown.
inline std::vector<std::string> mistakes_of(const std::filesystem::path& file, const std::function<void()>& read) {
  std::vector<std::string> lines;
  try {
    read();
  } catch (const ddlsim::UserError& error) {
    std::istringstream text(error.what());
    for (std::string line; std::getline(text, line);)
      lines.push_back(line.rfind(file.string(), 0) == 0 ? line.substr(file.string().size()) : "not this file: " + line);
    for (auto& line : lines)
      if (line.rfind(": ", 0) == 0) line = line.substr(2);
  }
  return lines;
}

} // namespace ddlsim_test
