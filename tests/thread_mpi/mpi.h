#pragma once
// As much of MPI as trainer/communication calls, for ranks that are threads of one process (ranks.hpp): what the thread
// sanitizer can watch. Found in the place of the real mpi.h by the tests of this folder alone.
//
// Names, and what calls mean, are MPI's. Calls keep no two threads apart that MPI would not: the locks inside are
// hidden from the sanitizer, and a message orders its sender before its receiver only. A receive writes, and a send of
// more than eager_bytes reads, at any time before it is known to be finished.

#include <cstdint>

struct ThreadComm;
struct ThreadRequest;
using MPI_Comm = ThreadComm*;
using MPI_Request = ThreadRequest*;
/// Bytes of an element, and its kind.
enum MPI_Datatype { MPI_DATATYPE_NULL, MPI_CHAR, MPI_INT, MPI_INT64_T, MPI_FLOAT, MPI_DOUBLE };
enum MPI_Op { MPI_SUM, MPI_MAX };
enum MPI_Errhandler { MPI_ERRORS_RETURN };

struct MPI_Status {
  int MPI_SOURCE = -1;
};

extern ThreadComm thread_mpi_world;
extern char thread_mpi_in_place;
inline MPI_Comm const MPI_COMM_WORLD = &thread_mpi_world;
inline MPI_Comm const MPI_COMM_NULL = nullptr;
inline MPI_Request const MPI_REQUEST_NULL = nullptr;
inline MPI_Status* const MPI_STATUS_IGNORE = nullptr;
inline MPI_Status* const MPI_STATUSES_IGNORE = nullptr;
inline void* const MPI_IN_PLACE = &thread_mpi_in_place;
inline constexpr int MPI_SUCCESS = 0;
inline constexpr int MPI_UNDEFINED = -32766;
inline constexpr int MPI_ANY_SOURCE = -1;
inline constexpr int eager_bytes = 64; ///< a send of so many has left its memory when the call returns

int MPI_Finalized(int* yes);
int MPI_Comm_set_errhandler(MPI_Comm comm, MPI_Errhandler handler);
int MPI_Comm_rank(MPI_Comm comm, int* rank);
int MPI_Comm_size(MPI_Comm comm, int* size);
int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy);
int MPI_Comm_split(MPI_Comm comm, int colour, int key, MPI_Comm* part);
int MPI_Comm_free(MPI_Comm* comm);

int MPI_Barrier(MPI_Comm comm);
int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm);
int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm);
int MPI_Allgather(const void* send, int sent, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type,
                  MPI_Comm comm);
int MPI_Allgatherv(const void* send, int sent, MPI_Datatype send_type, void* receive, const int* counts,
                   const int* offsets, MPI_Datatype type, MPI_Comm comm);
int MPI_Gather(const void* send, int sent, MPI_Datatype send_type, void* receive, int count, MPI_Datatype type,
               int root, MPI_Comm comm);
int MPI_Gatherv(const void* send, int sent, MPI_Datatype send_type, void* receive, const int* counts,
                const int* offsets, MPI_Datatype type, int root, MPI_Comm comm);

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request);
int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request);
int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status);
int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* there, MPI_Status* status);
int MPI_Test(MPI_Request* request, int* done, MPI_Status* status);
int MPI_Testall(int count, MPI_Request* requests, int* done, MPI_Status* statuses);
int MPI_Testsome(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses);
int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses);
int MPI_Waitsome(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses);
