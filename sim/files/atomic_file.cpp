#include "sim/files/atomic_file.hpp"

#include "sim/files/error.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace ddlsim {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void refuse(const fs::path& file, int error) {
  throw UserError(file.string(), "",
                  fmt::format("cannot be written: {}; check that the folder is there, may be written and has room",
                              std::strerror(error)));
}

/// A file beside the wanted one that is gone again unless it was renamed.
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

  void write(const std::string& content) {
    for (std::size_t done = 0; done < content.size();) {
      const ssize_t written = ::write(descriptor_, content.data() + done, content.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written < 0) refuse(wanted_, errno);
      done += static_cast<std::size_t>(written);
    }
  }

  void rename() {
    const int descriptor = descriptor_;
    if (::fchmod(descriptor, mode()) != 0 || ::fsync(descriptor) != 0) refuse(wanted_, errno);
    descriptor_ = -1;
    if (::close(descriptor) != 0) refuse(wanted_, errno);
    if (::rename(name_.c_str(), wanted_.c_str()) != 0) refuse(wanted_, errno);
    renamed_ = true;
  }

private:
  /// That of the file there was, else what any new file gets; mkstemp's would shut out others.
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

/// The new name outlives a power cut only when its folder is on disk too; a file system that cannot tell is left alone.
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
  // a link stays a link: its target is what gets replaced
  const fs::path target = fs::is_symlink(file, ignored) ? fs::weakly_canonical(file, ignored) : file;
  TemporaryFile temporary(target);
  temporary.write(content);
  temporary.rename();
  sync_folder(target.parent_path());
}

} // namespace ddlsim
