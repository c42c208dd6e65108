// Collective calls, ranks as threads, and what groups are made of.
#include "tests/thread_mpi/inside.hpp"
#include "tests/thread_mpi/ranks.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>

ThreadComm thread_mpi_world;
char thread_mpi_in_place = 0;

namespace thread_mpi {
namespace {

thread_local ThreadComm* own_world = nullptr;

using Part = Meeting::Part;
using Parts = std::vector<Part>;

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "thread_mpi: %s\n", why);
  std::abort();
}

/// The meeting of this rank's next collective call; the first to come opens it.
Meeting& join(Group& group, ThreadComm& mine, const Part& part, bool& last) {
  const std::lock_guard lock(group.lock);
  const std::size_t place = mine.collectives++ - group.over;
  while (group.meetings.size() <= place) group.meetings.emplace_back(group.size);
  Meeting& meeting = *std::next(group.meetings.begin(), static_cast<std::ptrdiff_t>(place));
  meeting.parts[static_cast<std::size_t>(mine.rank)] = part;
  release(&meeting);
  last = ++meeting.came == group.size;
  return meeting;
}

void leave(Group& group, Meeting& meeting) {
  const std::lock_guard lock(group.lock);
  release(&meeting);
  if (++meeting.left == group.size) acquire(&meeting); // it goes with the last one
  while (!group.meetings.empty() && group.meetings.front().left == group.size) {
    group.meetings.pop_front();
    ++group.over;
  }
}

/// Returns this rank's part, when `work` has been done with all.
Part meet(MPI_Comm comm, const Part& part, const std::function<void(Parts& parts)>& work) {
  ThreadComm& mine = own(comm);
  if (mine.in_collective.exchange(1) != 0) give_up("two threads of a rank in collective calls of one communicator");
  bool last = false;
  Meeting& meeting = join(*mine.group, mine, part, last);
  if (last) {
    acquire(&meeting);
    work(meeting.parts);
    release(&meeting);
    meeting.done.store(1, std::memory_order_release);
  }
  while (meeting.done.load(std::memory_order_acquire) == 0) pause();
  acquire(&meeting);
  const Part answered = meeting.parts[static_cast<std::size_t>(mine.rank)];
  leave(*mine.group, meeting);
  mine.in_collective.store(0);
  return answered;
}

char* at(void* data, std::size_t bytes) {
  return static_cast<char*>(data) + bytes;
}
const char* at(const void* data, std::size_t bytes) {
  return static_cast<const char*>(data) + bytes;
}

template <class Number> void add(std::vector<char>& sum, const std::vector<char>& other, MPI_Op op) {
  for (std::size_t place = 0; place < sum.size(); place += sizeof(Number)) {
    Number a{};
    Number b{};
    std::memcpy(&a, sum.data() + place, sizeof a);
    std::memcpy(&b, other.data() + place, sizeof b);
    a = op == MPI_SUM ? a + b : std::max(a, b);
    std::memcpy(sum.data() + place, &a, sizeof a);
  }
}

/// Over the ranks in their order, of so many bytes of each one's `send`, or of its `receive` where that is in place.
std::vector<char> reduced(const Parts& parts, std::size_t first, std::size_t bytes, MPI_Datatype type, MPI_Op op) {
  std::vector<char> sum(bytes);
  std::vector<char> other(bytes);
  for (std::size_t rank = 0; rank < parts.size() && bytes > 0; ++rank) {
    const void* const from = parts[rank].send == MPI_IN_PLACE ? parts[rank].receive : parts[rank].send;
    std::memcpy(other.data(), at(from, first), bytes);
    if (rank == 0) {
      sum = other;
    } else if (type == MPI_FLOAT) {
      add<float>(sum, other, op);
    } else if (type == MPI_DOUBLE) {
      add<double>(sum, other, op);
    } else {
      give_up("sums of another type than float and double");
    }
  }
  return sum;
}

/// Each rank's elements to their place in `to`; what is there already stays.
void put_together(const Parts& parts, const Part& to, MPI_Datatype type) {
  int first = 0;
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    const int count = to.counts == nullptr ? to.count : to.counts[rank];
    const int offset = to.offsets == nullptr ? first : to.offsets[rank];
    first += count;
    const void* const from =
        parts[rank].send == MPI_IN_PLACE ? at(parts[rank].receive, bytes_of(offset, type)) : parts[rank].send;
    void* const place = at(to.receive, bytes_of(offset, type));
    if (place != from && count > 0) std::memcpy(place, from, bytes_of(count, type));
  }
}

/// To all, or to `root` alone.
int gather(const Part& part, MPI_Datatype type, int root, MPI_Comm comm) {
  meet(comm, part, [type, root](Parts& parts) {
    for (std::size_t rank = 0; rank < parts.size(); ++rank)
      if (root < 0 || root == static_cast<int>(rank)) put_together(parts, parts[rank], type);
  });
  return MPI_SUCCESS;
}

constexpr int all_ranks = -1; ///< in the place of a root

Group* new_group(int ranks) {
  static SpinLock lock;
  static std::list<Group> groups;
  const std::lock_guard one(lock);
  return &groups.emplace_back(ranks);
}

ThreadComm* new_comm(Group* group, int rank) {
  auto* const made = new ThreadComm;
  made->group = group;
  made->rank = rank;
  return made;
}

} // namespace

ThreadComm& own(MPI_Comm comm) {
  if (comm != MPI_COMM_WORLD) return *comm;
  if (own_world == nullptr) give_up("MPI_COMM_WORLD in a thread that is no rank");
  return *own_world;
}

void set_own_world(ThreadComm* world) {
  own_world = world;
}

} // namespace thread_mpi

using thread_mpi::at;
using thread_mpi::meet;
using thread_mpi::own;
using thread_mpi::Part;
using thread_mpi::Parts;

int MPI_Finalized(int* yes) {
  *yes = 0;
  return MPI_SUCCESS;
}

int MPI_Comm_set_errhandler(MPI_Comm /*comm*/, MPI_Errhandler /*handler*/) {
  return MPI_SUCCESS; // a mistake ends the program
}

int MPI_Comm_rank(MPI_Comm comm, int* rank) {
  *rank = own(comm).rank;
  return MPI_SUCCESS;
}

int MPI_Comm_size(MPI_Comm comm, int* size) {
  *size = own(comm).group->size;
  return MPI_SUCCESS;
}

int MPI_Comm_dup(MPI_Comm comm, MPI_Comm* copy) {
  return MPI_Comm_split(comm, 0, own(comm).rank, copy);
}

/// Keys are ranks: the old order.
int MPI_Comm_split(MPI_Comm comm, int colour, int /*key*/, MPI_Comm* part) {
  Part mine;
  mine.number = colour;
  *part = meet(comm, mine, [](Parts& parts) {
            for (Part& first : parts) {
              if (first.made != nullptr) continue;
              std::vector<Part*> same;
              for (Part& other : parts)
                if (other.number == first.number) same.push_back(&other);
              auto* const group = thread_mpi::new_group(static_cast<int>(same.size()));
              for (std::size_t i = 0; i < same.size(); ++i)
                same[i]->made = thread_mpi::new_comm(group, static_cast<int>(i));
            }
          }).made;
  return MPI_SUCCESS;
}

int MPI_Comm_free(MPI_Comm* comm) {
  delete *comm;
  *comm = MPI_COMM_NULL;
  return MPI_SUCCESS;
}

int MPI_Barrier(MPI_Comm comm) {
  meet(comm, {}, [](Parts&) {});
  return MPI_SUCCESS;
}

int MPI_Bcast(void* data, int count, MPI_Datatype type, int root, MPI_Comm comm) {
  Part mine;
  mine.receive = data;
  meet(comm, mine, [root, bytes = thread_mpi::bytes_of(count, type)](Parts& parts) {
    void* const from = parts[static_cast<std::size_t>(root)].receive;
    for (const Part& part : parts)
      if (part.receive != from && bytes > 0) std::memcpy(part.receive, from, bytes);
  });
  return MPI_SUCCESS;
}

int MPI_Allreduce(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  Part mine;
  mine.send = send;
  mine.receive = receive;
  meet(comm, mine, [bytes = thread_mpi::bytes_of(count, type), type, op](Parts& parts) {
    const std::vector<char> sum = thread_mpi::reduced(parts, 0, bytes, type, op);
    for (const Part& part : parts)
      if (bytes > 0) std::memcpy(part.receive, sum.data(), bytes);
  });
  return MPI_SUCCESS;
}

int MPI_Reduce_scatter_block(const void* send, void* receive, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  Part mine;
  mine.send = send;
  mine.receive = receive;
  meet(comm, mine, [bytes = thread_mpi::bytes_of(count, type), type, op](Parts& parts) {
    for (std::size_t rank = 0; rank < parts.size(); ++rank) {
      const std::vector<char> sum = thread_mpi::reduced(parts, rank * bytes, bytes, type, op);
      if (bytes > 0) std::memcpy(parts[rank].receive, sum.data(), bytes);
    }
  });
  return MPI_SUCCESS;
}

int MPI_Allgather(const void* send, int /*sent*/, MPI_Datatype /*send_type*/, void* receive, int count,
                  MPI_Datatype type, MPI_Comm comm) {
  return thread_mpi::gather({send, receive, nullptr, nullptr, count}, type, thread_mpi::all_ranks, comm);
}

int MPI_Allgatherv(const void* send, int /*sent*/, MPI_Datatype /*send_type*/, void* receive, const int* counts,
                   const int* offsets, MPI_Datatype type, MPI_Comm comm) {
  return thread_mpi::gather({send, receive, counts, offsets}, type, thread_mpi::all_ranks, comm);
}

int MPI_Gather(const void* send, int /*sent*/, MPI_Datatype /*send_type*/, void* receive, int count, MPI_Datatype type,
               int root, MPI_Comm comm) {
  return thread_mpi::gather({send, receive, nullptr, nullptr, count}, type, root, comm);
}

int MPI_Gatherv(const void* send, int /*sent*/, MPI_Datatype /*send_type*/, void* receive, const int* counts,
                const int* offsets, MPI_Datatype type, int root, MPI_Comm comm) {
  return thread_mpi::gather({send, receive, counts, offsets}, type, root, comm);
}

namespace ddlsim_test {

void run_ranks(int ranks, const std::function<void(int rank)>& body) {
  auto* const group = thread_mpi::new_group(ranks);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([group, rank, &body] {
      const std::unique_ptr<ThreadComm> world(thread_mpi::new_comm(group, rank));
      thread_mpi::set_own_world(world.get());
      body(rank);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

} // namespace ddlsim_test
