// Streams and events of the fake machine.

#include "tests/fake_cuda/machine.hpp"
#include "tests/fake_cuda/unseen.hpp"

#include <fmt/format.h>

#include <thread>
#include <utility>

namespace fake_cuda {
namespace {

constexpr unsigned non_blocking = 1; ///< cudaStreamNonBlocking

} // namespace

Stream& Machine::new_stream(const std::string& name, int device) {
  auto made = std::make_unique<Stream>();
  Stream& stream = *made;
  stream.number = order_.add_stream(name);
  stream.device = device;
  streams_.emplace(&stream, std::move(made));
  std::thread([this, &stream] { run(stream); }).detach();
  return stream;
}

Stream* Machine::find_stream(void* handle) {
  if (handle == nullptr) {
    Stream*& stream = default_streams_[current_device()];
    if (stream == nullptr) {
      stream = &new_stream(fmt::format("the default stream of GPU {}", current_device()), current_device());
    }
    return stream;
  }
  const auto known = streams_.find(handle);
  return known == streams_.end() || known->second->destroyed ? nullptr : known->second.get();
}

Event* Machine::find_event(void* handle) {
  const auto known = events_.find(handle);
  return known == events_.end() || known->second->destroyed ? nullptr : known->second.get();
}

void Machine::give(Stream& stream, std::function<void()> work) {
  stream.work.push_back(std::move(work));
  changed_.notify_all();
}

void Machine::run(Stream& stream) {
  const Unseen unseen;
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return !stream.work.empty() || stream.destroyed; });
    if (stream.work.empty()) return;
    const std::function<void()> work = std::move(stream.work.front());
    stream.work.pop_front();
    stream.busy = true;
    lock.unlock();
    work();
    lock.lock();
    stream.busy = false;
    changed_.notify_all();
  }
}

void Machine::wait_until_idle(std::unique_lock<std::mutex>& lock, const Stream& stream) {
  changed_.wait(lock, [&] { return stream.work.empty() && !stream.busy; });
}

Status Machine::create_stream(unsigned flags, void** made) {
  const std::lock_guard lock(mutex_);
  // Others wait for the default stream behind the program's back, which nothing here does.
  if (flags != non_blocking) return fail(invalid_value, "streams of the fake GPU are cudaStreamNonBlocking");
  *made = &new_stream(fmt::format("stream {} of GPU {}", streams_.size() + 1, current_device()), current_device());
  return success;
}

Status Machine::destroy_stream(void* handle) {
  const std::lock_guard lock(mutex_);
  Stream* const stream = handle == nullptr ? nullptr : find_stream(handle);
  if (stream == nullptr) return found("a stream is destroyed that is none, or no more");
  stream->destroyed = true; // its thread ends when its work is done
  changed_.notify_all();
  return success;
}

Status Machine::create_event(void** made) {
  const std::lock_guard lock(mutex_);
  auto event = std::make_unique<Event>();
  event->device = current_device();
  *made = event.get();
  events_.emplace(event.get(), std::move(event));
  return success;
}

Status Machine::destroy_event(void* handle) {
  const std::lock_guard lock(mutex_);
  Event* const event = find_event(handle);
  if (event == nullptr) return found("an event is destroyed that is none, or no more");
  event->destroyed = true;
  return success;
}

Status Machine::record(void* event_handle, void* stream_handle) {
  const std::lock_guard lock(mutex_);
  Event* const event = find_event(event_handle);
  Stream* const stream = find_stream(stream_handle);
  if (event == nullptr || stream == nullptr)
    return found("an event is recorded, or on a stream, that is none any more");
  if (event->device != stream->device) {
    return found(fmt::format("an event of GPU {} is recorded on {}", event->device, order_.name(stream->number)));
  }
  order_.start_operation(stream->number);
  event->clock = order_.clock(stream->number);
  event->mark = std::make_shared<Mark>();
  give(*stream, [this, mark = event->mark] {
    const std::lock_guard inner(mutex_);
    mark->at = std::chrono::steady_clock::now();
    mark->done = true;
  });
  return success;
}

Status Machine::stream_waits(void* stream_handle, void* event_handle) {
  const std::lock_guard lock(mutex_);
  Event* const event = find_event(event_handle);
  Stream* const stream = find_stream(stream_handle);
  if (event == nullptr || stream == nullptr)
    return found("a stream waits for an event, and one of them is none any more");
  order_.start_operation(stream->number);
  if (!event->mark) return success; // nothing was recorded, nothing is waited for
  order_.stream_waits(stream->number, event->clock);
  give(*stream, [this, mark = event->mark] {
    std::unique_lock inner(mutex_);
    changed_.wait(inner, [&] { return mark->done; });
  });
  return success;
}

Status Machine::finish_stream(void* handle) {
  std::unique_lock lock(mutex_);
  const Stream* const stream = find_stream(handle);
  if (stream == nullptr) return found("a stream is waited for that is none any more");
  const Clock clock = order_.clock(stream->number);
  wait_until_idle(lock, *stream);
  order_.host_waits(clock);
  return success;
}

Status Machine::finish_event(void* handle) {
  std::unique_lock lock(mutex_);
  const Event* const event = find_event(handle);
  if (event == nullptr) return found("an event is waited for that is none any more");
  if (!event->mark) return success;
  const Clock clock = event->clock;
  changed_.wait(lock, [mark = event->mark] { return mark->done; });
  order_.host_waits(clock);
  return success;
}

Status Machine::is_done(void* handle) {
  const std::lock_guard lock(mutex_);
  const Event* const event = find_event(handle);
  if (event == nullptr) return found("an event is asked for that is none any more");
  if (event->mark && !event->mark->done) return not_ready;
  order_.host_waits(event->clock);
  return success;
}

Status Machine::elapsed(float* elapsed_ms, void* from_handle, void* to_handle) {
  const std::lock_guard lock(mutex_);
  const Event* const from = find_event(from_handle);
  const Event* const to = find_event(to_handle);
  if (from == nullptr || to == nullptr) return found("the time between events is asked for, and one is none any more");
  if (!from->mark || !to->mark || from->device != to->device) return fail(invalid_resource_handle, "");
  if (!from->mark->done || !to->mark->done) return fail(not_ready, "");
  *elapsed_ms = std::chrono::duration<float, std::milli>(to->mark->at - from->mark->at).count();
  return success;
}

Status Machine::start(Stream& stream, const std::string& what, const std::vector<Access>& accesses) {
  order_.start_operation(stream.number);
  for (const Access& access : accesses) {
    std::string wrong = check_memory(access);
    if (wrong.empty()) wrong = order_.access(stream.number, access);
    if (!wrong.empty()) return found(fmt::format("{} ({})", wrong, what));
  }
  return success;
}

Status Machine::add_work(void* handle, const std::string& what, const std::vector<Access>& accesses,
                         std::function<void()> work) {
  const std::lock_guard lock(mutex_);
  Stream* const stream = find_stream(handle);
  if (stream == nullptr) return found(what + " on a stream that is none any more");
  const Status status = start(*stream, what, accesses);
  if (status == success) give(*stream, std::move(work));
  return status;
}

Clock Machine::given_to(void* handle) {
  const std::lock_guard lock(mutex_);
  const Stream* const stream = find_stream(handle);
  return stream == nullptr ? Clock{} : order_.clock(stream->number);
}

void Machine::host_knows(const Clock& done) {
  const std::lock_guard lock(mutex_);
  order_.host_waits(done);
}

void Machine::do_on_default_stream(const std::string& what, const std::vector<Access>& accesses) {
  const Unseen unseen;
  std::unique_lock lock(mutex_);
  Stream& stream = *find_stream(nullptr);
  changed_.wait(lock, [&] { return (stream.work.empty() && !stream.busy) || stuck_ > 0; });
  if (stuck_ == 0) start(stream, what, accesses);
}

void Machine::count_stuck(int change) {
  const std::lock_guard lock(mutex_);
  stuck_ += change;
  changed_.notify_all();
}

} // namespace fake_cuda
