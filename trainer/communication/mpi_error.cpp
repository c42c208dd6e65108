#include "trainer/communication/mpi_error.hpp"

#include "trainer/files/error.hpp"

#include <array>
#include <mpi.h>

namespace ddltrain {

void check_mpi(int status, const std::string& call) {
  if (status == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  MPI_Error_string(status, words.data(), &length);
  throw RunError(call + " failed: " + std::string(words.data(), static_cast<std::size_t>(length)));
}

} // namespace ddltrain
