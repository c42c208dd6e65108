// Double binary tree all-reduce in plain MPI, for smpirun: tree CHUNKS FLOATS_PER_CHUNK. Two trees carry half of the
// vector each, CHUNKS chunks, up to the root and down again. Ranks send a tree's chunks in order, one at a time in each
// direction, to all children at once. Every rank checks the sums; rank 0 prints the seconds from the first start to the
// last end. What came counts after one more message of a rank to itself, as in parameter_server.cpp.

#include "pending.hpp"
#include "relatives.hpp"
#include "report.hpp"

#include <cstddef>
#include <cstdlib>
#include <vector>

namespace {

using ddlsim_test::at;
using ddlsim_test::Relatives;

struct Job {
  int rank = 0;
  int ranks = 1;
  int chunks = 1;
  int floats = 1; ///< a chunk
};

/// What a rank waits for. What came counts after a delay.
struct Event {
  enum class Kind { from_child, gone_up, from_parent, gone_down } kind = Kind::from_child;
  int tree = 0;
  int chunk = 0;
  int child = 0;
  bool counts = false;
};

/// One rank in one tree.
struct Place {
  Place(const Job& job, int number) : tree(number), own(ddlsim_test::relatives(job.rank, job.ranks, number)) {
    const std::vector<float> mine(at(job.floats), static_cast<float>(job.rank + 1));
    sums.assign(at(job.chunks), mine);
    taken.assign(own.children.size(), std::vector<std::vector<float>>(at(job.chunks), mine));
    missing.assign(at(job.chunks), static_cast<int>(own.children.size()));
    arrived.assign(at(job.chunks), false);
  }

  int up_tag() const { return 2 * tree; }
  int down_tag() const { return 2 * tree + 1; }
  bool is_root() const { return own.parent < 0; }
  int chunks() const { return static_cast<int>(sums.size()); }

  /// Whether a chunk may go down: at the root when its sum is complete.
  bool is_whole(int chunk) const { return is_root() ? missing[at(chunk)] == 0 : arrived[at(chunk)]; }

  int tree = 0;
  Relatives own;
  std::vector<std::vector<float>> sums;               ///< by chunk
  std::vector<std::vector<std::vector<float>>> taken; ///< by child and chunk
  std::vector<int> missing;                           ///< by chunk: children whose part has not come
  std::vector<bool> arrived;                          ///< by chunk: the sum over all ranks has come from above
  int next_up = 0;
  int next_down = 0;
  bool sends_up = false;
  int sends_down = 0; ///< children that a chunk is on its way to
};

class Rank {
public:
  explicit Rank(const Job& job) : job_(job), places_{{job, 0}, {job, 1}} {}

  void run() {
    for (Place& place : places_) {
      listen(place);
      go_on(place);
    }
    while (!events_.requests.empty()) {
      const Event event = events_.wait();
      take(places_[event.tree], event);
      go_on(places_[event.tree]);
    }
  }

  bool is_right() const {
    const auto all_ranks = static_cast<float>(job_.ranks * (job_.ranks + 1) / 2);
    for (const Place& place : places_)
      for (const auto& chunk : place.sums)
        for (const float value : chunk)
          if (value != all_ranks) return false;
    return true;
  }

private:
  /// A sum that comes from above lies where the own part was: that has gone up before.
  void listen(Place& place) {
    for (int chunk = 0; chunk < place.chunks(); ++chunk) {
      for (std::size_t child = 0; child < place.own.children.size(); ++child)
        events_.add(start_receive(place.taken[child][at(chunk)], place.own.children[child], place.up_tag()),
                    {Event::Kind::from_child, place.tree, chunk, static_cast<int>(child)});
      if (!place.is_root())
        events_.add(start_receive(place.sums[at(chunk)], place.own.parent, place.down_tag()),
                    {Event::Kind::from_parent, place.tree, chunk});
    }
  }

  void take(Place& place, Event event) {
    if (event.kind == Event::Kind::gone_up) {
      place.sends_up = false;
    } else if (event.kind == Event::Kind::gone_down) {
      --place.sends_down;
    } else if (!event.counts) {
      event.counts = true;
      events_.add(start_delay(job_.rank, delays_++), event);
    } else if (event.kind == Event::Kind::from_parent) {
      place.arrived[at(event.chunk)] = true;
    } else {
      add_up(place, event);
    }
  }

  static void add_up(Place& place, const Event& event) {
    std::vector<float>& sum = place.sums[at(event.chunk)];
    const std::vector<float>& part = place.taken[at(event.child)][at(event.chunk)];
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += part[i];
    --place.missing[at(event.chunk)];
  }

  void go_on(Place& place) {
    if (!place.is_root() && !place.sends_up && place.next_up < place.chunks() &&
        place.missing[at(place.next_up)] == 0) {
      const int chunk = place.next_up++;
      place.sends_up = true;
      events_.add(start_send(place.sums[at(chunk)], place.own.parent, place.up_tag()),
                  {Event::Kind::gone_up, place.tree, chunk});
    }
    if (place.sends_down == 0 && place.next_down < place.chunks() && place.is_whole(place.next_down)) {
      const int chunk = place.next_down++;
      for (const int child : place.own.children) {
        ++place.sends_down;
        events_.add(start_send(place.sums[at(chunk)], child, place.down_tag()),
                    {Event::Kind::gone_down, place.tree, chunk});
      }
    }
  }

  const Job& job_;
  Place places_[2];
  Pending<Event> events_;
  int delays_ = 0;
};

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Job job;
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
  job.chunks = argc > 1 ? std::atoi(argv[1]) : 1;
  job.floats = argc > 2 ? std::atoi(argv[2]) : 1;
  const double start_s = MPI_Wtime();
  Rank rank(job);
  rank.run();
  report(start_s, MPI_Wtime(), rank.is_right());
  MPI_Finalize();
  return 0;
}
