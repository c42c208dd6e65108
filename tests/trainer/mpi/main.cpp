// Every rank of an MPI job runs the same cases; mpirun fails when one of them does.
#define CATCH_CONFIG_RUNNER
#include "trainer/communication/mpi_session.hpp"

#include <catch2/catch.hpp>

int main(int argc, char** argv) {
  const ddltrain::MpiSession mpi;
  const int status = Catch::Session().run(argc, argv);
  if (status != 0) mpi.abort_job(1); // the others may wait for this rank for ever
  return status;
}
