// Synchronous parameter server in plain MPI, for smpirun: parameter_server SERVERS FLOATS... The last SERVERS ranks
// serve, the others work; tensor t lives on server t mod SERVERS. A worker pushes its tensors in order, to all servers
// at once; a server sums each, and gives it out as soon as it has all copies, to each worker in order. Workers check
// the sums; rank 0 prints the seconds from the first start to the last end.
//
// A sum, and what a worker has pulled, counts after one more message of a rank to itself: with a latency on the
// loopback and none on the network that is a latency which delays a message and does not occupy the link.

#include "pending.hpp"
#include "report.hpp"

#include <cstddef>
#include <cstdlib>
#include <utility>
#include <vector>

namespace {

std::size_t at(int index) {
  return static_cast<std::size_t>(index);
}

struct Job {
  int rank = 0;
  int workers = 0;
  int servers = 0;
  std::vector<int> floats; ///< of each tensor

  int tensors() const { return static_cast<int>(floats.size()); }
  int server_of(int tensor) const { return workers + tensor % servers; }
};

/// Tensors from `first` on that one server has are pushed one after another: tensor + servers follows tensor.
void push_all(const Job& job, std::vector<std::vector<float>>& gradients) {
  Pending<int> pushes;
  for (int tensor = 0; tensor < job.servers && tensor < job.tensors(); ++tensor)
    pushes.add(start_send(gradients[at(tensor)], job.server_of(tensor), tensor), tensor);
  while (!pushes.requests.empty()) {
    const int next = pushes.wait() + job.servers;
    if (next < job.tensors()) pushes.add(start_send(gradients[at(next)], job.server_of(next), next), next);
  }
}

bool work(const Job& job) {
  std::vector<std::vector<float>> gradients;
  std::vector<std::vector<float>> sums;
  Pending<int> pulls;
  for (const int floats : job.floats) {
    gradients.emplace_back(at(floats), static_cast<float>(job.rank + 1));
    sums.emplace_back(at(floats));
  }
  for (int tensor = 0; tensor < job.tensors(); ++tensor)
    pulls.add(start_receive(sums[at(tensor)], job.server_of(tensor), tensor), tensor);
  push_all(job, gradients);
  MPI_Waitall(job.tensors(), pulls.requests.data(), MPI_STATUSES_IGNORE);
  MPI_Request delay = start_delay(job.rank, 0);
  MPI_Wait(&delay, MPI_STATUS_IGNORE);
  for (const auto& sum : sums)
    for (const float value : sum)
      if (value != static_cast<float>(job.workers * (job.workers + 1) / 2)) return false;
  return true;
}

/// What a server waits for.
struct Event {
  enum class Kind { pushed, summed, pulled } kind = Kind::pushed;
  int tensor = 0;
  int worker = 0;
};

struct Server {
  explicit Server(const Job& server_job) : job(server_job), next(at(job.workers)), busy(at(job.workers), false) {
    for (int tensor = job.rank - job.workers; tensor < job.tensors(); tensor += job.servers) {
      tensors.push_back(tensor);
      sums.emplace_back(at(job.floats[at(tensor)]));
      pushed.emplace_back(at(job.workers), sums.back());
    }
    to_come.assign(tensors.size(), job.workers);
    summed.assign(tensors.size(), false);
  }

  /// Posts the receives of every copy of every tensor.
  void listen() {
    for (int i = 0; i < static_cast<int>(tensors.size()); ++i)
      for (int worker = 0; worker < job.workers; ++worker)
        events.add(start_receive(pushed[at(i)][at(worker)], worker, tensors[at(i)]), {Event::Kind::pushed, i, worker});
  }

  void take(const Event& event) {
    if (event.kind == Event::Kind::pushed) add_up(event.tensor, event.worker);
    if (event.kind == Event::Kind::summed) summed[at(event.tensor)] = true;
    if (event.kind == Event::Kind::pulled) busy[at(event.worker)] = false;
    for (int worker = 0; worker < job.workers; ++worker) give(worker);
  }

  void add_up(int tensor, int worker) {
    std::vector<float>& sum = sums[at(tensor)];
    const std::vector<float>& copy = pushed[at(tensor)][at(worker)];
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += copy[i];
    --to_come[at(tensor)];
    if (to_come[at(tensor)] == 0)
      events.add(start_delay(job.rank, tensors[at(tensor)]), {Event::Kind::summed, tensor, 0});
  }

  /// The next tensor to that worker, once the one before is there and its own sum is ready.
  void give(int worker) {
    const std::size_t i = next[at(worker)];
    if (busy[at(worker)] || i == tensors.size() || !summed[i]) return;
    events.add(start_send(sums[i], worker, tensors[i]), {Event::Kind::pulled, static_cast<int>(i), worker});
    busy[at(worker)] = true;
    ++next[at(worker)];
  }

  const Job& job;
  std::vector<int> tensors;
  std::vector<std::vector<float>> sums;
  std::vector<std::vector<std::vector<float>>> pushed;
  std::vector<int> to_come;
  std::vector<bool> summed;
  std::vector<std::size_t> next; ///< of each worker: place in `tensors`
  std::vector<bool> busy;
  Pending<Event> events;
};

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Job job;
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  job.servers = argc > 1 ? std::atoi(argv[1]) : 1;
  job.workers = ranks - job.servers;
  for (int i = 2; i < argc; ++i) job.floats.push_back(std::atoi(argv[i]));
  const double start_s = MPI_Wtime();
  bool right = true;
  if (job.rank < job.workers) {
    right = work(job);
  } else {
    Server server(job);
    server.listen();
    while (!server.events.requests.empty()) server.take(server.events.wait());
  }
  report(start_s, MPI_Wtime(), right);
  MPI_Finalize();
  return 0;
}
