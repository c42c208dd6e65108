#include "trainer/files/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <numeric>
#include <unistd.h>

namespace ddltrain {
namespace {

/// Levenshtein distance, one row at a time.
std::size_t edit_distance(const std::string& from, const std::string& to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
    }
  }
  return row.back();
}

} // namespace

std::string nearest_name(const std::string& given, const std::vector<std::string>& names) {
  return *std::min_element(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return edit_distance(given, a) < edit_distance(given, b);
  });
}

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
