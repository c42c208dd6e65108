#pragma once

#include "trainer/communication/mpi_communicator.hpp"

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace ddltrain {
/// A thread that does jobs in the order they are given; it runs communication beside compute.
class WorkThread {
public:
  WorkThread();
  ~WorkThread(); ///< waits until all given jobs are done
  WorkThread(const WorkThread&) = delete;
  WorkThread& operator=(const WorkThread&) = delete;

  void add(std::function<void()> job);
  /// Returns when all jobs are done. Throws the exception of the first failed job; later jobs, given before this call,
  /// are not run.
  void drain();

private:
  void run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  bool busy_ = false;
  bool stop_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

/// A thread that keeps transfers going beside compute: MPI moves large messages only during calls of MPI.
class TransferThread {
public:
  /// Starts transfers and adds them to those under way.
  using Start = std::function<void(std::vector<Transfer>& transfers)>;

  explicit TransferThread(MpiCommunicator& communicator);
  ~TransferThread();
  TransferThread(const TransferThread&) = delete;
  TransferThread& operator=(const TransferThread&) = delete;

  void add(Start start);
  /// Returns when all added transfers are finished. Throws when one failed.
  void drain();

private:
  void run();
  bool work(std::deque<Start>& starts, std::vector<Transfer>& transfers);

  MpiCommunicator& communicator_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Start> starts_;
  bool idle_ = true;
  bool stop_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

} // namespace ddltrain
