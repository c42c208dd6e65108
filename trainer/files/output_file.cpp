#include "trainer/files/output_file.hpp"

#include "trainer/files/error.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <unistd.h>

namespace ddltrain {
namespace {

[[noreturn]] void fail(const std::filesystem::path& file, const std::string& cause) {
  throw RunError("cannot write " + file.string() + ": " + cause);
}

/// Returns the cause when writing failed, else "".
std::string write_text(const std::filesystem::path& file, const std::string& text) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (stream) {
    return "";
  }
  return errno != 0 ? std::strerror(errno) : "the write failed";
}

} // namespace

void write_output_file(const std::filesystem::path& file, const std::string& text) {
  std::error_code error;
  const std::filesystem::path target = std::filesystem::weakly_canonical(file, error); // through symbolic links
  if (error) {
    fail(file, error.message());
  }
  const auto status = std::filesystem::status(target, error);
  if (std::filesystem::is_directory(status)) {
    fail(file, "it is a folder");
  }
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    if (const std::string cause = write_text(target, text); !cause.empty()) {
      fail(file, cause);
    }
    return;
  }
  const std::filesystem::path temporary = target.string() + ".tmp" + std::to_string(::getpid());
  std::string cause = write_text(temporary, text);
  if (cause.empty()) {
    std::filesystem::rename(temporary, target, error);
    if (error) {
      cause = error.message();
    }
  }
  if (!cause.empty()) {
    std::filesystem::remove(temporary, error);
    fail(file, cause);
  }
}

} // namespace ddltrain
