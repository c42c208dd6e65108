#include "trainer/communication/mpi_communicator.hpp"

#include "trainer/communication/mpi_session.hpp"
#include "trainer/run_error.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <limits>
#include <numeric>

namespace ddltrain {
namespace {

static_assert(sizeof(MPI_Request) <= sizeof(Transfer::handle));

/// Makes a transfer. An empty one holds MPI_REQUEST_NULL, as a request that has finished.
Transfer pack(MPI_Request request) {
  Transfer transfer;
  std::memcpy(&transfer.handle, &request, sizeof(MPI_Request));
  return transfer;
}

MPI_Request unpack(const Transfer& transfer) {
  MPI_Request request = MPI_REQUEST_NULL;
  if (transfer.handle != 0) std::memcpy(&request, &transfer.handle, sizeof(MPI_Request));
  return request;
}

/// Returns the count as MPI's int.
int mpi_count(std::size_t count) {
  if (count > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
    throw RunError(std::to_string(count) + " elements in one message are more than MPI can count");
  }
  return static_cast<int>(count);
}

std::vector<MPI_Request> unpack(const std::vector<Transfer>& transfers) {
  std::vector<MPI_Request> requests;
  requests.reserve(transfers.size());
  for (const Transfer& transfer : transfers) requests.push_back(unpack(transfer));
  return requests;
}

} // namespace

MpiCommunicator::MpiCommunicator(Adopt, MPI_Comm owned, WaitPolicy policy) : group_(owned), wait_policy_(policy) {
  check_mpi(MPI_Comm_set_errhandler(group_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  check_mpi(MPI_Comm_rank(group_, &rank_), "MPI_Comm_rank");
  check_mpi(MPI_Comm_size(group_, &size_), "MPI_Comm_size");
}

MpiCommunicator::MpiCommunicator(MPI_Comm group, WaitPolicy policy)
    : MpiCommunicator(
          Adopt{},
          [group] {
            MPI_Comm copy = MPI_COMM_NULL;
            check_mpi(MPI_Comm_dup(group, &copy), "MPI_Comm_dup");
            return copy;
          }(),
          policy) {}

MpiCommunicator::~MpiCommunicator() {
  int finalized = 0;
  MPI_Finalized(&finalized);
  // A rank that failed frees nothing, because freeing may wait for ranks that wait for this one.
  if (finalized == 0 && std::uncaught_exceptions() == 0) MPI_Comm_free(&group_);
}

void MpiCommunicator::barrier() {
  check_mpi(MPI_Barrier(group_), "MPI_Barrier");
}

void MpiCommunicator::broadcast(float* data, std::size_t count, int root) {
  check_mpi(MPI_Bcast(data, mpi_count(count), MPI_FLOAT, root, group_), "MPI_Bcast");
}

void MpiCommunicator::all_reduce(float* data, std::size_t count) {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, data, mpi_count(count), MPI_FLOAT, MPI_SUM, group_), "MPI_Allreduce");
}

void MpiCommunicator::reduce_scatter(const float* data, float* own, std::size_t own_count) {
  check_mpi(MPI_Reduce_scatter_block(data, own, mpi_count(own_count), MPI_FLOAT, MPI_SUM, group_),
            "MPI_Reduce_scatter_block");
}

void MpiCommunicator::all_gather(float* data, std::size_t own_count) {
  check_mpi(MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, mpi_count(own_count), MPI_FLOAT, group_),
            "MPI_Allgather");
}

Transfer MpiCommunicator::start_send(const float* data, std::size_t count, int to, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Isend(data, mpi_count(count), MPI_FLOAT, to, tag, group_, &request), "MPI_Isend");
  return pack(request);
}

Transfer MpiCommunicator::start_receive(float* data, std::size_t count, int from, int tag) {
  MPI_Request request = MPI_REQUEST_NULL;
  check_mpi(MPI_Irecv(data, mpi_count(count), MPI_FLOAT, from, tag, group_, &request), "MPI_Irecv");
  return pack(request);
}

void MpiCommunicator::send(const float* data, std::size_t count, int to, int tag) {
  check_mpi(MPI_Send(data, mpi_count(count), MPI_FLOAT, to, tag, group_), "MPI_Send");
}

void MpiCommunicator::receive(float* data, std::size_t count, int from, int tag) {
  check_mpi(MPI_Recv(data, mpi_count(count), MPI_FLOAT, from, tag, group_, MPI_STATUS_IGNORE), "MPI_Recv");
}

void MpiCommunicator::wait(std::vector<Transfer>& transfers) {
  std::vector<MPI_Request> requests = unpack(transfers);
  const int count = mpi_count(requests.size());
  if (wait_policy_ == WaitPolicy::in_mpi) {
    check_mpi(MPI_Waitall(count, requests.data(), MPI_STATUSES_IGNORE), "MPI_Waitall");
  } else {
    WaitPause pause(wait_policy_);
    for (int done = 0; done == 0;) {
      check_mpi(MPI_Testall(count, requests.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (done == 0) pause.found_nothing();
    }
  }
  transfers.assign(transfers.size(), Transfer{});
}

namespace {

using SomeCall = int (*)(int, MPI_Request*, int*, int*, MPI_Status*);

/// Calls MPI_Waitsome or MPI_Testsome. Returns none when all transfers were empty.
std::vector<std::size_t> take_some(SomeCall call, const char* name, std::vector<Transfer>& transfers) {
  std::vector<MPI_Request> requests = unpack(transfers);
  std::vector<int> indices(requests.size());
  int count = 0;
  check_mpi(call(mpi_count(requests.size()), requests.data(), &count, indices.data(), MPI_STATUSES_IGNORE), name);
  std::vector<std::size_t> done;
  for (int i = 0; count != MPI_UNDEFINED && i < count; ++i) {
    done.push_back(static_cast<std::size_t>(indices[static_cast<std::size_t>(i)]));
    transfers[done.back()] = Transfer{};
  }
  return done;
}

bool all_empty(const std::vector<Transfer>& transfers) {
  return std::all_of(transfers.begin(), transfers.end(), [](const Transfer& one) { return one.handle == 0; });
}

} // namespace

std::vector<std::size_t> MpiCommunicator::finished(std::vector<Transfer>& transfers) {
  return take_some(MPI_Testsome, "MPI_Testsome", transfers);
}

std::vector<std::size_t> MpiCommunicator::wait_some(std::vector<Transfer>& transfers) {
  if (wait_policy_ == WaitPolicy::in_mpi) return take_some(MPI_Waitsome, "MPI_Waitsome", transfers);
  WaitPause pause(wait_policy_);
  std::vector<std::size_t> done = finished(transfers);
  while (done.empty() && !all_empty(transfers)) {
    pause.found_nothing();
    done = finished(transfers);
  }
  return done;
}

void MpiCommunicator::all_reduce_largest(std::vector<double>& values) {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), mpi_count(values.size()), MPI_DOUBLE, MPI_MAX, group_),
            "MPI_Allreduce");
}

void MpiCommunicator::all_reduce_mean(std::vector<double>& values) {
  check_mpi(MPI_Allreduce(MPI_IN_PLACE, values.data(), mpi_count(values.size()), MPI_DOUBLE, MPI_SUM, group_),
            "MPI_Allreduce");
  for (double& value : values) value /= size_;
}

void MpiCommunicator::leave_number(std::int64_t number, int to, int tag) {
  pending_sends_.remove_if([](PendingSend& pending) {
    int done = 0;
    check_mpi(MPI_Test(&pending.request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  });
  PendingSend& pending = pending_sends_.emplace_back(); // a list, whose elements stay where they are
  pending.number = number;
  check_mpi(MPI_Isend(&pending.number, 1, MPI_INT64_T, to, tag, group_, &pending.request), "MPI_Isend");
}

std::optional<std::pair<int, std::int64_t>> MpiCommunicator::receive_number(int tag) {
  int there = 0;
  MPI_Status status;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, group_, &there, &status), "MPI_Iprobe");
  if (there == 0) return std::nullopt;
  std::int64_t number = 0;
  check_mpi(MPI_Recv(&number, 1, MPI_INT64_T, status.MPI_SOURCE, tag, group_, MPI_STATUS_IGNORE), "MPI_Recv");
  return std::pair{status.MPI_SOURCE, number};
}

void MpiCommunicator::broadcast(std::vector<std::int64_t>& values, int root) {
  std::int64_t count = static_cast<std::int64_t>(values.size());
  check_mpi(MPI_Bcast(&count, 1, MPI_INT64_T, root, group_), "MPI_Bcast");
  values.resize(static_cast<std::size_t>(count));
  check_mpi(MPI_Bcast(values.data(), mpi_count(values.size()), MPI_INT64_T, root, group_), "MPI_Bcast");
}

std::vector<std::vector<std::int64_t>> MpiCommunicator::gather(const std::vector<std::int64_t>& values, int root) {
  const std::size_t ranks = rank_ == root ? static_cast<std::size_t>(size_) : 0;
  const int count = mpi_count(values.size());
  std::vector<int> counts(ranks);
  check_mpi(MPI_Gather(&count, 1, MPI_INT, counts.data(), 1, MPI_INT, root, group_), "MPI_Gather");
  std::vector<int> offsets(ranks);
  std::exclusive_scan(counts.begin(), counts.end(), offsets.begin(), 0);
  std::vector<std::int64_t> all(ranks == 0 ? 0 : static_cast<std::size_t>(offsets.back() + counts.back()));
  check_mpi(MPI_Gatherv(values.data(), count, MPI_INT64_T, all.data(), counts.data(), offsets.data(), MPI_INT64_T, root,
                        group_),
            "MPI_Gatherv");
  std::vector<std::vector<std::int64_t>> of_ranks;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    const auto first = all.begin() + offsets[rank];
    of_ranks.emplace_back(first, first + counts[rank]);
  }
  return of_ranks;
}

std::vector<std::string> MpiCommunicator::gather(const std::string& text) {
  const auto ranks = static_cast<std::size_t>(size_);
  std::vector<int> lengths(ranks);
  const int length = mpi_count(text.size());
  check_mpi(MPI_Allgather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, group_), "MPI_Allgather");
  std::vector<int> offsets(ranks);
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  std::string all(static_cast<std::size_t>(offsets.back() + lengths.back()), '\0');
  check_mpi(MPI_Allgatherv(text.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR, group_),
            "MPI_Allgatherv");
  std::vector<std::string> texts;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    texts.push_back(all.substr(static_cast<std::size_t>(offsets[rank]), static_cast<std::size_t>(lengths[rank])));
  }
  return texts;
}

std::unique_ptr<MpiCommunicator> MpiCommunicator::split(int colour) {
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(group_, colour, rank_, &part), "MPI_Comm_split");
  return std::unique_ptr<MpiCommunicator>(new MpiCommunicator(Adopt{}, part, wait_policy_));
}

std::unique_ptr<MpiCommunicator> MpiCommunicator::duplicate() {
  return std::make_unique<MpiCommunicator>(group_, wait_policy_);
}

WaitPolicy agree_wait_policy(MpiCommunicator& world, int threads) {
  std::vector<RankOnCores> ranks;
  for (const std::string& text : world.gather(to_text(this_rank_on_cores(threads)))) {
    ranks.push_back(rank_on_cores(text));
  }
  return training_wait_policy(busiest(ranks));
}

} // namespace ddltrain
