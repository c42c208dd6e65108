#include "cli/mpi/mpi_ranks.hpp"

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
constexpr int no_more = -1; ///< in place of a task's number

/// What comes before the bytes of an answer.
struct AnswerHead {
  int task = 0;
  int failed = 0;
  int size_bytes = 0;
};
constexpr int head_ints = 3;

/// Waits asleep: MPI's own wait takes the core from those that work.
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

/// MPI counts bytes by int.
TaskResult that_can_be_sent(TaskResult result) {
  if (result.bytes.size() <= static_cast<std::size_t>(std::numeric_limits<int>::max())) return result;
  return {"", "its answer has more than 2 GB and cannot be sent to rank 0"};
}

void send_answer(int task, const TaskResult& result) {
  const bool failed = !result.error.empty();
  const std::string& text = failed ? result.error : result.bytes;
  const AnswerHead head{task, failed ? 1 : 0, static_cast<int>(text.size())};
  MPI_Send(&head, head_ints, MPI_INT, 0, head_tag, MPI_COMM_WORLD);
  MPI_Send(text.data(), head.size_bytes, MPI_BYTE, 0, bytes_tag, MPI_COMM_WORLD);
}

/// From whichever rank is done first; that rank.
int receive_answer(std::vector<TaskResult>& results) {
  const int from = wait_for_message(MPI_ANY_SOURCE, head_tag).MPI_SOURCE;
  AnswerHead head;
  MPI_Recv(&head, head_ints, MPI_INT, from, head_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  std::string text(static_cast<std::size_t>(head.size_bytes), '\0');
  MPI_Recv(text.data(), head.size_bytes, MPI_BYTE, from, bytes_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  auto& result = results[static_cast<std::size_t>(head.task)];
  (head.failed != 0 ? result.error : result.bytes) = std::move(text);
  return from;
}

} // namespace

MpiRanks::MpiRanks() {
  MPI_Init(nullptr, nullptr);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks_);
}

MpiRanks::~MpiRanks() {
  if (deals_) MPI_Abort(MPI_COMM_WORLD, 1); // dealing has thrown: the others would wait for tasks for ever
  MPI_Finalize();
}

/// Ranks but the first that work; rank 0 alone learns it.
std::vector<int> MpiRanks::tell_who_works(bool works) {
  told_ = true;
  const int mine = works ? 1 : 0;
  std::vector<int> all(static_cast<std::size_t>(ranks_), 0);
  MPI_Gather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> workers;
  for (int rank = 1; rank < ranks_; ++rank)
    if (all[static_cast<std::size_t>(rank)] != 0) workers.push_back(rank);
  return workers;
}

std::vector<TaskResult> MpiRanks::deal(int count, const std::function<std::string(int)>& work,
                                       const std::function<void(int)>& done) {
  std::vector<int> workers;
  if (!told_) {
    workers = tell_who_works(false);
    missing_ = ranks_ - 1 - static_cast<int>(workers.size());
  }
  if (workers.empty()) return run_in_workers(count, usable_cores(), work, done);
  deals_ = true;
  std::vector<TaskResult> results(static_cast<std::size_t>(count));
  int next = 0;
  for (const int rank : workers) send_task(next < count ? next++ : no_more, rank);
  for (int ended = 0; ended < count;) {
    const int idle = receive_answer(results);
    send_task(next < count ? next++ : no_more, idle);
    ++ended;
    if (done) done(ended);
  }
  deals_ = false;
  return results;
}

void MpiRanks::serve(const std::function<std::string(int)>& work) {
  tell_who_works(true);
  for (;;) {
    wait_for_message(0, task_tag);
    int task = no_more;
    MPI_Recv(&task, 1, MPI_INT, 0, task_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (task == no_more) throw WorkIsOver{};
    send_answer(task, that_can_be_sent(run_in_workers(1, 1, [&](int) { return work(task); }).front()));
  }
}

void MpiRanks::stand_aside() {
  if (told_) return;
  for (const int rank : tell_who_works(false)) send_task(no_more, rank);
}

} // namespace ddlsim
