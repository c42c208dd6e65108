#include "sim/files/text_file.hpp"

#include "sim/files/json_document.hpp"
#include "sim/files/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace ddlsim {

namespace fs = std::filesystem;

namespace {

std::string missing_text(const fs::path& file) {
  std::vector<std::string> names;
  std::error_code ignored;
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  for (fs::directory_iterator it(folder, ignored), end; !ignored && it != end; it.increment(ignored))
    names.push_back(it->path().filename().string());
  if (names.empty() && !fs::is_directory(folder, ignored)) return "no such file, and no such folder; check the path";
  const std::string nearest = nearest_name(file.filename().string(), names);
  if (nearest.empty()) return "no such file; check the path";
  return fmt::format("no such file; did you mean {}?", (file.parent_path() / nearest).string());
}

[[noreturn]] void refuse(const fs::path& file, const std::string& what) {
  throw UserError(file.string(), "", what);
}

} // namespace

InputFile open_text_file(const fs::path& file) {
  std::error_code error;
  const auto status = fs::status(file, error);
  if (status.type() == fs::file_type::not_found) refuse(file, missing_text(file));
  if (status.type() == fs::file_type::directory) refuse(file, "this is a folder; give a file in it");
  if (status.type() == fs::file_type::none) refuse(file, fmt::format("cannot be read: {}", error.message()));
  if (status.type() != fs::file_type::regular) refuse(file, "this is a device or a pipe; give a plain file");
  InputFile stream(std::fopen(file.c_str(), "rb"));
  if (!stream) refuse(file, fmt::format("cannot be read: {}; check its permissions", std::strerror(errno)));
  return stream;
}

std::string read_text_file(const fs::path& file) {
  const InputFile stream = open_text_file(file);
  std::error_code no_size;
  auto size = fs::file_size(file, no_size);
  std::string text;
  while (!no_size && size <= max_document_bytes) {
    constexpr std::size_t chunk_bytes = 1U << 16U;
    const std::size_t had = text.size();
    text.resize(had + chunk_bytes);
    const std::size_t got = std::fread(text.data() + had, 1, chunk_bytes, stream.get());
    text.resize(had + got);
    size = std::max(size, text.size()); // a file that grows while it is read
    if (got < chunk_bytes) break;
  }
  if (no_size || std::ferror(stream.get()) != 0)
    refuse(file, fmt::format("cannot be read: {}", no_size ? no_size.message() : std::strerror(errno)));
  if (size > max_document_bytes) {
    refuse(file, fmt::format("{} bytes found, at most {} expected in one JSON document; split it, or write records as "
                             "JSON Lines",
                             size, max_document_bytes));
  }
  return text;
}

LineReader::Result LineReader::next(std::string& line) {
  line.clear();
  int c = getc_unlocked(stream_.get());
  while (inside_long_line_ && c != EOF) {
    inside_long_line_ = c != '\n';
    c = getc_unlocked(stream_.get());
  }
  const bool any = c != EOF;
  for (; c != EOF && c != '\n'; c = getc_unlocked(stream_.get())) {
    inside_long_line_ = line.size() == max_line_bytes;
    if (inside_long_line_) return Result::too_long;
    line += static_cast<char>(c);
  }
  if (std::ferror(stream_.get()) != 0) refuse(file_, fmt::format("cannot be read: {}", std::strerror(errno)));
  return any ? Result::line : Result::end;
}

} // namespace ddlsim
