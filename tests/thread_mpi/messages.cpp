// Messages between two ranks. Whoever comes second, sender or receiver, copies.
#include "tests/thread_mpi/inside.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>

/// A send or a receive.
struct ThreadRequest {
  bool sends = false;
  int peer = 0; ///< of a send the sender, of a receive whom it is from
  int tag = 0;
  void* data = nullptr;
  std::size_t bytes = 0;
  std::array<char, eager_bytes> eager{};
  bool forgotten = false; ///< nobody waits for it: whoever takes it frees it
  thread_mpi::Flag done = 0;
};

namespace thread_mpi {
namespace {

/// The message has its memory, and both sides may go on.
void copy(const ThreadRequest& send, const ThreadRequest& receive) {
  if (send.bytes > receive.bytes) {
    std::fprintf(stderr, "thread_mpi: a message of %zu bytes for memory of %zu\n", send.bytes, receive.bytes);
    std::abort();
  }
  if (send.bytes > 0) std::memcpy(receive.data, send.data, send.bytes);
}

/// The other side's request that this one was to meet, taken out of the list; none yet: nullptr.
ThreadRequest* take_match(std::list<ThreadRequest*>& waiting, const ThreadRequest& mine) {
  const auto found = std::find_if(waiting.begin(), waiting.end(), [&mine](const ThreadRequest* other) {
    return other->sends != mine.sends && other->peer == mine.peer && other->tag == mine.tag;
  });
  if (found == waiting.end()) return nullptr;
  ThreadRequest* const match = *found;
  acquire(match); // what its side did before it posted
  waiting.erase(found);
  return match;
}

void finish(ThreadRequest* request) {
  if (request->forgotten) {
    delete request;
    return;
  }
  release(request);
  request->done.store(1, std::memory_order_release);
}

/// receiver: in whose list both sides look for each other.
void post(Group& group, int receiver, ThreadRequest* mine) {
  ThreadRequest* match = nullptr;
  {
    const std::lock_guard lock(group.lock);
    auto& waiting = group.waiting[static_cast<std::size_t>(receiver)];
    match = take_match(waiting, *mine);
    if (match == nullptr) {
      waiting.push_back(mine);
      release(mine);
      return;
    }
  }
  mine->sends ? copy(*mine, *match) : copy(*match, *mine);
  finish(match);
  finish(mine);
}

bool finished(MPI_Request& request) {
  if (request == MPI_REQUEST_NULL) return true;
  if (request->done.load(std::memory_order_acquire) == 0) return false;
  acquire(request);
  delete request;
  request = MPI_REQUEST_NULL;
  return true;
}

} // namespace

Group::~Group() {
  for (const auto& requests : waiting)
    for (const ThreadRequest* request : requests) delete request;
}

} // namespace thread_mpi

using thread_mpi::own;

int MPI_Isend(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  const ThreadComm& mine = own(comm);
  auto* const send = new ThreadRequest;
  send->sends = true;
  send->peer = mine.rank;
  send->tag = tag;
  send->data = const_cast<void*>(data); // NOLINT: only read
  send->bytes = thread_mpi::bytes_of(count, type);
  *request = MPI_REQUEST_NULL;
  if (send->bytes <= static_cast<std::size_t>(eager_bytes)) {
    if (send->bytes > 0) std::memcpy(send->eager.data(), data, send->bytes);
    send->data = send->eager.data();
    send->forgotten = true;
  } else {
    *request = send;
  }
  thread_mpi::post(*mine.group, to, send);
  return MPI_SUCCESS;
}

int MPI_Irecv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
  const ThreadComm& mine = own(comm);
  auto* const receive = new ThreadRequest;
  receive->peer = from;
  receive->tag = tag;
  receive->data = data;
  receive->bytes = thread_mpi::bytes_of(count, type);
  *request = receive;
  thread_mpi::post(*mine.group, mine.rank, receive);
  return MPI_SUCCESS;
}

int MPI_Send(const void* data, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(data, count, type, to, tag, comm, &request);
  return MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
}

int MPI_Recv(void* data, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(data, count, type, from, tag, comm, &request);
  if (status != nullptr) status->MPI_SOURCE = from;
  return MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int* there, MPI_Status* status) {
  const ThreadComm& mine = own(comm);
  const std::lock_guard lock(mine.group->lock);
  const auto& waiting = mine.group->waiting[static_cast<std::size_t>(mine.rank)];
  const auto found = std::find_if(waiting.begin(), waiting.end(), [from, tag](const ThreadRequest* other) {
    return other->sends && other->tag == tag && (from == MPI_ANY_SOURCE || other->peer == from);
  });
  *there = found == waiting.end() ? 0 : 1;
  if (found != waiting.end() && status != nullptr) status->MPI_SOURCE = (*found)->peer;
  return MPI_SUCCESS;
}

int MPI_Test(MPI_Request* request, int* done, MPI_Status* /*status*/) {
  *done = thread_mpi::finished(*request) ? 1 : 0;
  return MPI_SUCCESS;
}

int MPI_Testall(int count, MPI_Request* requests, int* done, MPI_Status* /*statuses*/) {
  *done = std::all_of(requests, requests + count,
                      [](MPI_Request request) { return request == MPI_REQUEST_NULL || request->done.load() != 0; })
              ? 1
              : 0;
  if (*done != 0)
    std::for_each(requests, requests + count, [](MPI_Request& request) { thread_mpi::finished(request); });
  return MPI_SUCCESS;
}

int MPI_Testsome(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* /*statuses*/) {
  const auto is_null = [](MPI_Request request) { return request == MPI_REQUEST_NULL; };
  *done = MPI_UNDEFINED;
  if (std::all_of(requests, requests + count, is_null)) return MPI_SUCCESS;
  *done = 0;
  for (int i = 0; i < count; ++i)
    if (!is_null(requests[i]) && thread_mpi::finished(requests[i])) indices[(*done)++] = i;
  return MPI_SUCCESS;
}

int MPI_Waitall(int count, MPI_Request* requests, MPI_Status* statuses) {
  for (int done = 0; done == 0;) {
    MPI_Testall(count, requests, &done, statuses);
    if (done == 0) thread_mpi::pause();
  }
  return MPI_SUCCESS;
}

int MPI_Waitsome(int count, MPI_Request* requests, int* done, int* indices, MPI_Status* statuses) {
  for (*done = 0; *done == 0;) {
    MPI_Testsome(count, requests, done, indices, statuses);
    if (*done == 0) thread_mpi::pause();
  }
  return MPI_SUCCESS;
}
