#pragma once
// The ranks of one fake NCCL communicator: processes of one host, over a Unix socket without a file (Linux's abstract
// names), of which nothing is left when they end, however they end.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace fake_cuda {

enum class Kind : std::uint32_t { all_reduce, reduce_scatter, all_gather, broadcast };

/// What a rank asks for. Must be the same on all.
struct Call {
  Kind kind = Kind::all_reduce;
  std::int32_t root = 0;
  std::uint64_t number = 0; ///< counted from 1 in the communicator
  std::uint64_t count = 0;  ///< floats that the rank gives
};

/// What went wrong, in the words to tell.
struct MeetingError {
  enum class Cause { system, disagreement, peer_is_gone } cause = Cause::system;
  std::string words;
};

/// The GPU of a rank, as NCCL tells them apart.
struct RankDevice {
  std::int32_t device = 0;
  std::int32_t place = 0;    ///< on the host's bus
  std::uint64_t host_id = 0; ///< of NCCL_HOSTID: another one is another host
};

class Meeting {
public:
  /// name: of all ranks. Throws MeetingError when others do not come within a minute, or two have one GPU.
  Meeting(const std::string& name, int rank, int ranks, const RankDevice& own);
  ~Meeting();
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  int rank() const { return rank_; }
  int ranks() const { return ranks_; }

  /// Gives this rank's numbers and returns its result. Collective. Throws MeetingError.
  std::vector<float> exchange(const Call& call, std::vector<float> own);
  /// Ends what is under way, here and on the others. From any thread.
  void leave();

private:
  void listen_for_all(const std::string& name, const RankDevice& own);
  void join_first(const std::string& name, const RankDevice& own);
  std::vector<float> lead(const Call& call, std::vector<float> own);
  void refuse(const std::string& words);
  void close_all();

  int rank_;
  int ranks_;
  std::vector<int> sockets_; ///< of rank 0: the other ranks', by rank - 1; of others: rank 0's
};

} // namespace fake_cuda
