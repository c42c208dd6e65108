#pragma once
// Operations that go on beside each other, in the MPI programs of these tests.

#include <mpi.h>
#include <vector>

/// Open operations, and what each is about.
template <class Event> struct Pending {
  std::vector<MPI_Request> requests;
  std::vector<Event> events;

  void add(MPI_Request request, Event event) {
    requests.push_back(request);
    events.push_back(event);
  }

  Event wait() {
    int index = 0;
    MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &index, MPI_STATUS_IGNORE);
    const Event event = events[static_cast<std::size_t>(index)];
    requests.erase(requests.begin() + index);
    events.erase(events.begin() + index);
    return event;
  }
};

inline MPI_Request start_send(const std::vector<float>& values, int to, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(values.data(), static_cast<int>(values.size()), MPI_FLOAT, to, tag, MPI_COMM_WORLD, &request);
  return request;
}

inline MPI_Request start_receive(std::vector<float>& values, int from, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(values.data(), static_cast<int>(values.size()), MPI_FLOAT, from, tag, MPI_COMM_WORLD, &request);
  return request;
}

constexpr int delay_tag = 1000000; // other tags count up from 0

/// Over after the latency of `rank`'s loopback: an empty message to itself. number: another one for each delay at a
/// time.
inline MPI_Request start_delay(int rank, int number) {
  static char nothing = 0;
  MPI_Request given = MPI_REQUEST_NULL;
  MPI_Request taken = MPI_REQUEST_NULL;
  MPI_Irecv(&nothing, 0, MPI_CHAR, rank, delay_tag + number, MPI_COMM_WORLD, &taken);
  MPI_Isend(&nothing, 0, MPI_CHAR, rank, delay_tag + number, MPI_COMM_WORLD, &given);
  MPI_Request_free(&given);
  return taken;
}
