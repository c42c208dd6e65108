#pragma once
// Points in time of a stream of work: the host's clock, or events on a GPU's stream.

#include <cstddef>
#include <memory>

namespace ddltrain {

class Marks {
public:
  Marks() = default;
  Marks(const Marks&) = delete;
  Marks& operator=(const Marks&) = delete;
  virtual ~Marks() = default;

  /// Forgets all marks.
  virtual void clear() = 0;
  /// Notes the moment at which the work issued so far is done; returns its number, counted from 0.
  virtual std::size_t mark() = 0;
  /// Returns when all marked work is done. Needed before between_s.
  virtual void settle() = 0;
  /// Seconds from one mark to another.
  virtual double between_s(std::size_t from, std::size_t to) const = 0;
};

/// Marks on this thread's work, by the host's monotonic clock.
std::unique_ptr<Marks> host_marks();

} // namespace ddltrain
