#include "import/mpi_title.hpp"

#include "import/plain_text.hpp"

namespace ddlsim {
namespace {

/// A name of an operation in the titles of either program, in lower case.
struct MpiName {
  const char* name;
  const char* operation;
  bool is_part; ///< the field of the same name in MpiTitle
};

/// Names of operations. The -v and -w variants give every rank the same size, so they measure the plain operation.
constexpr MpiName mpi_names[] = {
    {"allreduce", "all_reduce", false},
    {"allgather", "all_gather", true},
    {"allgatherv", "all_gather", true},
    {"alltoall", "all_to_all", true},
    {"alltoallv", "all_to_all", true},
    {"all-to-all", "all_to_all", true},
    {"all-to-all personalized exchange", "all_to_all", true},
    {"all-to-allv personalized exchange", "all_to_all", true},
    {"all-to-allw personalized exchange", "all_to_all", true},
    {"broadcast", "broadcast", false},
    {"bcast", "broadcast", false},
    {"reduce", "reduce", false},
    {"reduce_scatter", "reduce_scatter", false},
    {"reduce_scatter_block", "reduce_scatter", false},
    {"pingpong", one_way_message, false},
    {"", one_way_message, false}, // the benchmark with the title "OSU MPI Latency Test"
};

void look_up(const std::string& name, MpiTitle& title) {
  for (const auto& known : mpi_names) {
    if (name != known.name) continue;
    title.operation = known.operation;
    title.is_part = known.is_part;
    return;
  }
  title.why_left_out = "records have no such times";
}

constexpr const char* of_non_blocking = "operations that do not block are timed beside computation";

} // namespace

MpiTitle read_osu_title(std::string_view text) {
  MpiTitle title;
  title.name = text;
  const auto lower = lower_case(text);
  const auto test = lower.find("latency test");
  if (test == std::string::npos) {
    title.why_left_out = "records have no such times";
    return title;
  }
  // Skips the words before the operation, as in "osu mpi-cuda managed allreduce ". The word after osu is the library,
  // and a device may add another.
  auto name = trim(std::string_view(lower).substr(0, test));
  for (int word = 0; word < 2; ++word) name = trim(name.substr(std::min(name.size(), name.find_first_of(" \t"))));
  if (name.starts_with("managed")) name = trim(name.substr(std::string_view("managed").size()));
  if (lower.starts_with("osu nccl") || lower.starts_with("osu rccl")) title.library = "nccl";
  if (name.starts_with("non-blocking")) {
    title.why_left_out = of_non_blocking;
  } else {
    look_up(std::string(name), title);
  }
  return title;
}

MpiTitle read_imb_title(std::string_view name, int year) {
  // from this year on src_c/IMB_reduce_scatter.c prints the size of a rank's part; earlier versions print that of all
  // ranks together
  constexpr int year_of_parts = 2019;
  MpiTitle title;
  title.name = name;
  const auto lower = lower_case(name);
  look_up(lower, title);
  if (title.operation == "reduce_scatter") {
    title.is_part = year >= year_of_parts;
    if (year == 0) {
      title.operation.clear();
      title.why_left_out = "what its size means depends on the version, and the line 'Intel(R) MPI Benchmarks VERSION' "
                           "is missing";
    }
  }
  const bool is_non_blocking = lower.starts_with("iall") || lower.starts_with("ibcast") ||
                               lower.starts_with("ireduce") || lower.starts_with("igather") ||
                               lower.starts_with("iscatter") || lower.starts_with("ibarrier");
  if (is_non_blocking) title.why_left_out = of_non_blocking;
  return title;
}

} // namespace ddlsim
