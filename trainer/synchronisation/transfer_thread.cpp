#include "trainer/synchronisation/transfer_thread.hpp"

#include "trainer/communication/poll_pause.hpp"

#include <algorithm>
#include <utility>

namespace ddltrain {

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

/// Returns whether something finished.
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
  PollPause pause;
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
