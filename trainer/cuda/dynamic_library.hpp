#pragma once
#include <string>
#include <vector>

namespace ddltrain {

/// A shared library that this program can do without, opened when it is asked for. Stays open as long as the program.
class DynamicLibrary {
public:
  /// Opens the first of `names` there is. Throws RunError with the loader's words about each when there is none.
  explicit DynamicLibrary(const std::vector<std::string>& names);

  /// The function of that name, as `Function`. Throws RunError when the library is too old to have it.
  template <class Function> void find(Function& function, const char* name) const {
    function = reinterpret_cast<Function>(address_of(name)); // NOLINT: what dlsym is for
  }
  const std::string& name() const { return name_; }

private:
  void* address_of(const char* name) const;

  void* handle_ = nullptr;
  std::string name_;
};

} // namespace ddltrain
