#include "trainer/launch/own_folder.hpp"

#include "trainer/files/error.hpp"

#include <filesystem>

namespace ddltrain {

namespace fs = std::filesystem;

std::string own_program() {
  return fs::read_symlink("/proc/self/exe");
}

std::string beside_program(const std::string& name) {
  const fs::path folder = fs::path(own_program()).parent_path();
  for (const fs::path& file : {folder / name, folder.parent_path() / "lib" / name}) {
    if (fs::exists(file)) {
      return file;
    }
  }
  throw RunError(name + " is not beside " + own_program() + "; build the target ddltrain");
}

} // namespace ddltrain
