// Functions of newer versions of the C library, by those of older ones. A program that is linked with this source and
// with --wrap=hypot runs where glibc is 2.34 or later (RHEL 9, Ubuntu 22.04), not only 2.36 or later (Debian 12).

#include <cstdint>
#include <unistd.h>

extern "C" {

double older_hypot(double x, double y);
__asm__(".symver older_hypot, hypot@GLIBC_2.2.5"); // the same function; only its report of an overflow is older

double __wrap_hypot(double x, double y) {
  return older_hypot(x, y);
}

/// glibc 2.36 has it. The C++ library calls it for std::random_device, which ddlsim does not use.
std::uint32_t arc4random() {
  std::uint32_t bits = 0;
  while (::getentropy(&bits, sizeof bits) != 0) {
  }
  return bits;
}
}
