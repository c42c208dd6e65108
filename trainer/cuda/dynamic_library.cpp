#include "trainer/cuda/dynamic_library.hpp"

#include "trainer/files/error.hpp"

#include <dlfcn.h>

namespace ddltrain {

DynamicLibrary::DynamicLibrary(const std::vector<std::string>& names) {
  for (const std::string& name : names) { // one that is loaded, by LibTorch, must be the one
    handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (handle_ != nullptr) {
      name_ = name;
      return;
    }
  }
  std::string causes;
  for (const std::string& name : names) {
    handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      name_ = name;
      return;
    }
    causes += (causes.empty() ? "" : "; ") + std::string(::dlerror());
  }
  throw RunError(causes);
}

void* DynamicLibrary::address_of(const char* name) const {
  void* const address = ::dlsym(handle_, name);
  if (address == nullptr) throw RunError(name_ + " has no " + name + "; a newer one is needed");
  return address;
}

} // namespace ddltrain
