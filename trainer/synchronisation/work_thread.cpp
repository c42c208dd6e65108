#include "trainer/synchronisation/work_thread.hpp"

#include <algorithm>
#include <utility>

namespace ddltrain {
WorkThread::WorkThread() : thread_([this] { run(); }) {}

WorkThread::~WorkThread() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void WorkThread::add(std::function<void()> job) {
  {
    const std::lock_guard lock(mutex_);
    if (failure_) return;
    jobs_.push_back(std::move(job));
  }
  changed_.notify_all();
}

void WorkThread::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return jobs_.empty() && !busy_; });
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
}

void WorkThread::run() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stop_ || !jobs_.empty(); });
    if (jobs_.empty()) return;
    const std::function<void()> job = std::move(jobs_.front());
    jobs_.pop_front();
    busy_ = true;
    lock.unlock();
    std::exception_ptr failure;
    try {
      job();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    busy_ = false;
    if (failure) {
      failure_ = failure;
      jobs_.clear();
    }
    changed_.notify_all();
  }
}

TransferThread::TransferThread(MpiCommunicator& communicator)
    : communicator_(communicator), thread_([this] { run(); }) {}

TransferThread::~TransferThread() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void TransferThread::add(Start start) {
  {
    const std::lock_guard lock(mutex_);
    starts_.push_back(std::move(start));
    idle_ = false;
  }
  changed_.notify_all();
}

void TransferThread::drain() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return idle_ || failure_; });
  if (failure_) std::rethrow_exception(failure_);
}

/// Returns whether any transfer finished.
bool TransferThread::work(std::deque<Start>& starts, std::vector<Transfer>& transfers) {
  for (const Start& start : starts) start(transfers);
  starts.clear();
  const std::vector<std::size_t> done = communicator_.finished(transfers);
  const auto is_empty = [](const Transfer& transfer) { return transfer.handle == 0; };
  transfers.erase(std::remove_if(transfers.begin(), transfers.end(), is_empty), transfers.end());
  return !done.empty();
}

void TransferThread::run() {
  std::vector<Transfer> transfers;
  WaitPause pause(communicator_.wait_policy());
  std::unique_lock lock(mutex_);
  while (!failure_) {
    if (starts_.empty() && transfers.empty()) {
      idle_ = true;
      changed_.notify_all();
      changed_.wait(lock, [this] { return stop_ || !starts_.empty(); });
      if (starts_.empty()) return;
    }
    std::deque<Start> starts = std::exchange(starts_, {});
    lock.unlock();
    std::exception_ptr failure;
    try {
      work(starts, transfers) ? pause.found() : pause.found_nothing();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    failure_ = failure;
  }
  changed_.notify_all();
}

} // namespace ddltrain
