#pragma once
// What the MPI programs of these tests print.

#include <cstdio>
#include <mpi.h>

/// Rank 0 prints the seconds from the first rank's start to the last one's end, or "wrong sum" when a rank has one.
inline void report(double start_s, double end_s, bool right) {
  double first_s = 0;
  double last_s = 0;
  int wrong = right ? 0 : 1;
  int any_wrong = 0;
  MPI_Reduce(&start_s, &first_s, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
  MPI_Reduce(&end_s, &last_s, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  MPI_Reduce(&wrong, &any_wrong, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0) return;
  if (any_wrong > 0) {
    std::printf("wrong sum\n");
  } else {
    std::printf("%.17g\n", last_s - first_s);
  }
}
