#include "trainer/cli/rank_failure.hpp"

#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

namespace ddltrain {
namespace {

/// The first rank's lead over the second, and the second's over the third: mpirun takes a tenth of a second or so to
/// end the others.
constexpr double kLead_s = 0.5;
constexpr double kLongest_s = 3; ///< well within what a user waits for

} // namespace

void end_job(const MpiSession& mpi, int rank, std::exception_ptr failure) {
  std::this_thread::sleep_for(std::chrono::duration<double>(std::min(kLongest_s, kLead_s * rank)));
  int status = 1;
  try {
    std::rethrow_exception(failure);
  } catch (const ddlsim::UserError& error) {
    status = 2;
    fmt::print(stderr, "ddltrain: {}\n", error.what());
  } catch (const std::exception& error) {
    fmt::print(stderr, "ddltrain: {}\n", error.what());
  }
  std::fflush(stdout);
  std::fflush(stderr);
  mpi.abort_job(status);
}

void run_as_rank(const std::function<void(const MpiSession& mpi)>& body) {
  const MpiSession mpi;
  try {
    body(mpi);
  } catch (...) {
    end_job(mpi, mpi.rank(), std::current_exception());
  }
}

} // namespace ddltrain
