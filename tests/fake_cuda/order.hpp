#pragma once
// The order that streams, events and the host's waits give to work, by vector clocks (Fidge 1988), and who touched
// which memory last (as FastTrack keeps it, Flanagan and Freund 2009). It looks at what was asked for, not at what
// happened to run first: a missing wait is found in every run.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fake_cuda {

/// How many operations of each stream are known to be done, by stream number.
using Clock = std::vector<std::uint64_t>;

/// Bytes first .. last - 1.
struct Range {
  std::uintptr_t first = 0;
  std::uintptr_t last = 0;
};

Range range_of(const void* memory, std::size_t bytes);

struct Access {
  Range memory;
  bool writes = false;
};

/// All host threads count as one: what one of them has waited for is known to all. No locks: its user has one.
class Order {
public:
  using Stream = std::size_t;

  Stream add_stream(std::string name);
  const std::string& name(Stream stream) const { return streams_.at(stream).name; }

  /// The stream is given its next operation: after all it was given before, and after all the host has waited for.
  void start_operation(Stream stream);
  const Clock& clock(Stream stream) const { return streams_.at(stream).clock; }
  void stream_waits(Stream stream, const Clock& for_what);
  void host_waits(const Clock& for_what);

  /// The operation started last touches memory. Returns "" or what is wrong, naming both streams.
  std::string access(Stream stream, const Access& access);
  /// The host gives memory back: everything done on it must be known to be over. Returns "" or what is wrong.
  std::string release(const Range& memory);

  /// What was done to memory so far counts no more.
  void forget_accesses() { segments_.clear(); }

private:
  struct Operation {
    Stream stream = 0;
    std::uint64_t number = 0; ///< 0: none
  };
  struct Segment {
    std::uintptr_t last = 0;
    Operation write;
    std::vector<Operation> reads; ///< since the write, one a stream
  };
  struct OneStream {
    std::string name;
    Clock clock;
  };

  using Segments = std::map<std::uintptr_t, Segment>; ///< by first byte, disjoint
  void split_at(std::uintptr_t byte);
  /// Segments that cover exactly these bytes, new ones where nothing was known.
  Segments::iterator cover(const Range& memory);

  std::vector<OneStream> streams_;
  Clock host_;
  Segments segments_;
};

} // namespace fake_cuda
