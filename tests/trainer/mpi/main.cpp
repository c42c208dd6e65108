// Every rank of an MPI job runs the same cases; mpirun fails when one of them does.
#include "trainer/communication/mpi_session.hpp"

int run_cases(int argc, char** argv); // tests/catch_main.cpp

int main(int argc, char** argv) {
  const ddltrain::MpiSession mpi;
  const int status = run_cases(argc, argv);
  if (status != 0) mpi.abort_job(1); // the others may wait for this rank for ever
  return status;
}
