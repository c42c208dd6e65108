#include "cli/mpi/mpi_ranks.hpp"

#include "sim/base/threads.hpp"

#include <chrono>
#include <limits>
#include <mpi.h>
#include <thread>
#include <utility>

namespace ddlsim {
namespace {

constexpr int task_tag = 1;
constexpr int head_tag = 2;
constexpr int bytes_tag = 3;
constexpr int no_more = -1; ///< sent in place of a task's number

/// The head of an answer, which is sent before its bytes.
struct AnswerHead {
  int failed = 0;
  int size_bytes = 0;
};
constexpr int head_ints = 2;

/// Waits without using the core. MPI's own wait would take the core from ranks that work.
MPI_Status wait_for_message(int from, int tag) {
  MPI_Status status;
  for (int here = 0;;) {
    MPI_Iprobe(from, tag, MPI_COMM_WORLD, &here, &status);
    if (here != 0) return status;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

void send_task(int task, int rank) {
  MPI_Send(&task, 1, MPI_INT, rank, task_tag, MPI_COMM_WORLD);
}

/// Replaces a result that is too large to send. MPI counts bytes in an int.
TaskResult that_can_be_sent(TaskResult result) {
  if (result.bytes.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max())) return result;
  return {"", "its answer has more than 2 GB and cannot be sent to rank 0"};
}

void send_answer(const TaskResult& result) {
  const bool failed = !result.error.empty();
  const std::string& text = failed ? result.error : result.bytes;
  const AnswerHead head{failed ? 1 : 0, static_cast<int>(text.size())};
  MPI_Send(&head, head_ints, MPI_INT, 0, head_tag, MPI_COMM_WORLD);
  MPI_Send(text.data(), head.size_bytes, MPI_BYTE, 0, bytes_tag, MPI_COMM_WORLD);
}

struct Answer {
  int from = 0; ///< number of the rank that sent it
  TaskResult result;
};

/// Receives the answer of the rank that finishes first.
Answer receive_answer() {
  const int from = wait_for_message(MPI_ANY_SOURCE, head_tag).MPI_SOURCE;
  AnswerHead head;
  MPI_Recv(&head, head_ints, MPI_INT, from, head_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::string text(static_cast<std::size_t>(head.size_bytes), '\0');
  MPI_Recv(text.data(), head.size_bytes, MPI_BYTE, from, bytes_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  Answer answer{from, {}};
  (head.failed != 0 ? answer.result.error : answer.result.bytes) = std::move(text);
  return answer;
}

} // namespace

MpiRanks::MpiRanks() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
}

MpiRanks::~MpiRanks() {
  if (distributes_) MPI_Abort(MPI_COMM_WORLD, 1); // without this the other ranks would wait for tasks for ever
  MPI_Finalize();
}

/// Returns the other ranks that take tasks. Only rank 0 gets the list.
std::vector<int> MpiRanks::gather_workers(bool works) {
  gathered_ = true;
  const int own = works ? 1 : 0;
  std::vector<int> all(static_cast<std::size_t>(ranks_), 0);
  MPI_Gather(&own, 1, MPI_INT, all.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> workers;
  for (int rank = 1; rank < ranks_; ++rank)
    if (all[static_cast<std::size_t>(rank)] != 0) workers.push_back(rank);
  return workers;
}

std::vector<TaskResult> MpiRanks::distribute(const std::vector<int>& tasks, const TaskWork& work,
                                             const TaskEnded& ended) {
  std::vector<int> workers;
  if (!gathered_) {
    workers = gather_workers(false);
    missing_ = ranks_ - 1 - static_cast<int>(workers.size());
  }
  if (workers.empty()) return run_in_workers(tasks, machine_threads(), work, ended);
  distributes_ = true;
  std::vector<TaskResult> results(tasks.size());
  std::vector<std::size_t> place_of(static_cast<std::size_t>(ranks_)); // position of each rank's task
  std::size_t next = 0;
  const auto send_next = [&](int rank) {
    place_of[static_cast<std::size_t>(rank)] = next;
    send_task(next < tasks.size() ? tasks[next++] : no_more, rank);
  };
  for (const int rank : workers) send_next(rank);
  for (std::size_t count = 0; count < tasks.size(); ++count) {
    auto answer = receive_answer();
    const auto place = place_of[static_cast<std::size_t>(answer.from)];
    results[place] = std::move(answer.result);
    send_next(answer.from);
    if (ended) ended(tasks[place], results[place]);
  }
  distributes_ = false;
  return results;
}

void MpiRanks::serve(const TaskWork& work) {
  gather_workers(true);
  for (;;) {
    wait_for_message(0, task_tag);
    int task = no_more;
    MPI_Recv(&task, 1, MPI_INT, 0, task_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (task == no_more) throw NoMoreTasks{};
    send_answer(that_can_be_sent(run_in_workers({task}, 1, work).front()));
  }
}

void MpiRanks::leave_to_others() {
  if (gathered_) return;
  for (const int rank : gather_workers(false)) send_task(no_more, rank);
}

} // namespace ddlsim
