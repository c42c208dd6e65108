#include "tests/fake_cuda/order.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace fake_cuda {
namespace {

void join(Clock& clock, const Clock& other) {
  clock.resize(std::max(clock.size(), other.size()));
  for (std::size_t i = 0; i < other.size(); ++i) clock[i] = std::max(clock[i], other[i]);
}

bool knows(const Clock& clock, std::size_t stream, std::uint64_t number) {
  return number == 0 || (stream < clock.size() && clock[stream] >= number);
}

} // namespace

Range range_of(const void* memory, std::size_t bytes) {
  const auto first = reinterpret_cast<std::uintptr_t>(memory); // NOLINT: addresses are what is compared
  return {first, first + bytes};
}

Order::Stream Order::add_stream(std::string name) {
  streams_.push_back({std::move(name), Clock(streams_.size() + 1)});
  return streams_.size() - 1;
}

void Order::start_operation(Stream stream) {
  Clock& clock = streams_.at(stream).clock;
  join(clock, host_);
  ++clock[stream];
}

void Order::stream_waits(Stream stream, const Clock& for_what) {
  join(streams_.at(stream).clock, for_what);
}

void Order::host_waits(const Clock& for_what) {
  join(host_, for_what);
}

void Order::split_at(std::uintptr_t byte) {
  auto after = segments_.upper_bound(byte);
  if (after == segments_.begin()) return;
  auto segment = std::prev(after);
  if (segment->first == byte || segment->second.last <= byte) return;
  segments_.emplace_hint(after, byte, segment->second);
  segment->second.last = byte;
}

Order::Segments::iterator Order::cover(const Range& memory) {
  split_at(memory.first);
  split_at(memory.last);
  for (std::uintptr_t at = memory.first; at < memory.last;) {
    auto segment = segments_.lower_bound(at);
    if (segment == segments_.end() || segment->first > at) {
      const std::uintptr_t end = segment == segments_.end() ? memory.last : std::min(memory.last, segment->first);
      segment = segments_.emplace_hint(segment, at, Segment{end, {}, {}});
    }
    at = segment->second.last;
  }
  return segments_.find(memory.first);
}

std::string Order::access(Stream stream, const Access& access) {
  if (access.memory.first == access.memory.last) return "";
  const Clock& clock = streams_.at(stream).clock;
  const Operation own{stream, clock[stream]};
  std::string wrong;
  const auto must_know = [&](std::uintptr_t byte, const Operation& earlier, const char* did) {
    if (!wrong.empty() || knows(clock, earlier.stream, earlier.number)) return;
    wrong = fmt::format("{} {} {:#x}, which {} {}, without waiting for it", name(stream),
                        access.writes ? "writes" : "reads", byte, name(earlier.stream), did);
  };
  auto segment = cover(access.memory);
  for (; segment != segments_.end() && segment->first < access.memory.last; ++segment) {
    auto& [byte, seen] = *segment;
    must_know(byte, seen.write, "wrote");
    if (access.writes) {
      for (const Operation& read : seen.reads) must_know(byte, read, "reads");
      continue;
    }
    const auto same = std::find_if(seen.reads.begin(), seen.reads.end(),
                                   [&](const Operation& read) { return read.stream == stream; });
    if (same == seen.reads.end()) {
      seen.reads.push_back(own);
    } else {
      *same = own;
    }
  }
  if (access.writes) {
    segments_.erase(segments_.find(access.memory.first), segment);
    segments_.emplace(access.memory.first, Segment{access.memory.last, own, {}});
  }
  return wrong;
}

std::string Order::release(const Range& memory) {
  if (memory.first == memory.last) return "";
  std::string wrong;
  const auto must_be_over = [&](std::uintptr_t byte, const Operation& earlier) {
    if (!wrong.empty() || knows(host_, earlier.stream, earlier.number)) return;
    wrong = fmt::format("the host frees {:#x}, which {} may still use", byte, name(earlier.stream));
  };
  const auto first = cover(memory);
  auto segment = first;
  for (; segment != segments_.end() && segment->first < memory.last; ++segment) {
    must_be_over(segment->first, segment->second.write);
    for (const Operation& read : segment->second.reads) must_be_over(segment->first, read);
  }
  segments_.erase(first, segment);
  return wrong;
}

} // namespace fake_cuda
