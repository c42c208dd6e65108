#include "sim/base/text_file.hpp"

#include "sim/base/error.hpp"
#include "sim/base/json.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

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
    size = std::max(size, text.size()); // the file may grow while it is read
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

namespace {

[[noreturn]] void refuse(const fs::path& file, int error) {
  throw UserError(file.string(), "",
                  fmt::format("cannot be written: {}; check that the folder is there, may be written and has room",
                              std::strerror(error)));
}

void write_all(int descriptor, const fs::path& file, const std::string& content) {
  for (std::size_t done = 0; done < content.size();) {
    const ssize_t written = ::write(descriptor, content.data() + done, content.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) refuse(file, errno);
    done += static_cast<std::size_t>(written);
  }
}

/// Writes into a device or pipe. These have no old content to keep, and must not be replaced.
void write_into(const fs::path& file, const std::string& content) {
  struct Descriptor {
    int number;
    ~Descriptor() {
      if (number >= 0) ::close(number);
    }
  };
  const Descriptor opened{::open(file.c_str(), O_WRONLY | O_CLOEXEC)};
  if (opened.number < 0) refuse(file, errno);
  write_all(opened.number, file, content);
}

/// A temporary file in the same folder, which is removed unless it was renamed.
class TemporaryFile {
public:
  explicit TemporaryFile(const fs::path& beside)
      : wanted_(beside), name_((beside.parent_path() / fmt::format(".{}.XXXXXX", beside.filename().string())).string()),
        descriptor_(::mkstemp(name_.data())) {
    if (descriptor_ < 0) refuse(wanted_, errno);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) ::close(descriptor_);
    if (!renamed_) ::unlink(name_.c_str());
  }

  void write(const std::string& content) { write_all(descriptor_, wanted_, content); }

  void rename() {
    const int descriptor = descriptor_;
    if (::fchmod(descriptor, mode()) != 0 || ::fsync(descriptor) != 0) refuse(wanted_, errno);
    descriptor_ = -1;
    if (::close(descriptor) != 0) refuse(wanted_, errno);
    if (::rename(name_.c_str(), wanted_.c_str()) != 0) refuse(wanted_, errno);
    renamed_ = true;
  }

private:
  /// The mode of the file that is replaced, else that of a new file. The mode of mkstemp would keep others from reading
  /// it.
  mode_t mode() const {
    struct stat old {};
    if (::stat(wanted_.c_str(), &old) == 0) return old.st_mode & 07777U;
    const mode_t mask = ::umask(0);
    ::umask(mask);
    return 0666U & ~mask;
  }

  fs::path wanted_;
  std::string name_;
  int descriptor_;
  bool renamed_ = false;
};

/// Writes the folder to disk; without that, a power cut may lose the new name. Does nothing on a file system that
/// cannot do it.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

} // namespace

void write_file(const fs::path& file, const std::string& content) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored)) throw UserError(file.string(), "", "this is a folder; give a file's name");
  if (fs::exists(file, ignored) && !fs::is_regular_file(file, ignored)) {
    write_into(file, content);
    return;
  }
  // A link stays a link, and the file that it points to is replaced.
  const fs::path target = fs::is_symlink(file, ignored) ? fs::weakly_canonical(file, ignored) : file;
  TemporaryFile temporary(target);
  temporary.write(content);
  temporary.rename();
  sync_folder(target.parent_path());
}

void Fnv1a::take(std::string_view bytes) {
  constexpr std::uint64_t prime = 0x100000001b3U;
  for (const char byte : bytes) hash_ = (hash_ ^ static_cast<unsigned char>(byte)) * prime;
}

void Fnv1a::take_file(const fs::path& file) {
  const InputFile stream = open_text_file(file);
  std::array<char, 1U << 16U> part; // left without zeros, because it is read again and again
  while (const auto got = std::fread(part.data(), 1, part.size(), stream.get())) take({part.data(), got});
  if (std::ferror(stream.get()) != 0)
    throw UserError(file.string(), "", fmt::format("cannot be read: {}", std::strerror(errno)));
}

std::string Fnv1a::text() const {
  return fmt::format("{:016x}", hash_);
}

std::string fnv1a_of_file(const fs::path& file) {
  Fnv1a hash;
  hash.take_file(file);
  return hash.text();
}

} // namespace ddlsim
