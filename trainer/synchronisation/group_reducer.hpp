#pragma once
#include <cstddef>
#include <functional>
#include <memory>

namespace ddltrain {

/// Sums elements over the workers in place, and returns when that is done; the same bits on all.
using Reduce = std::function<void(float* data, std::size_t count)>;

/// Makes the next step's parameters of summed gradients.
using Update = std::function<void()>;

/// Sums groups of gradients over the workers, one after another in the order started, the same on all.
class GroupReducer {
public:
  GroupReducer() = default;
  GroupReducer(const GroupReducer&) = delete;
  GroupReducer& operator=(const GroupReducer&) = delete;
  virtual ~GroupReducer() = default;

  /// Sums `data` in place, maybe later.
  virtual void start(float* data, std::size_t count) = 0;
  /// Afterwards, whoever updates parameters finds every sum. Throws RunError when communication failed.
  virtual void finish() = 0;
};

/// Sums in `start`, on the thread that calls it.
std::unique_ptr<GroupReducer> reduce_at_once(Reduce reduce);
/// Sums on a thread of its own, beside backward.
std::unique_ptr<GroupReducer> reduce_beside(Reduce reduce);

} // namespace ddltrain
