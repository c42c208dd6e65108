#include "import/importers.hpp"
#include "import/nccl_given.hpp"
#include "import/nccl_run.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <compare>
#include <set>

namespace ddlsim {
namespace {

constexpr double us_per_s = 1e6;

/// A table with all facts that its records need.
struct Run {
  const NcclTable* table = nullptr;
  NcclScale scale;
  NcclOperation operation;
  bool operation_deduced = false;
  std::string gpu;
  std::string transport;
  std::string algorithm;
};

/// Appends words to the note of a record.
void add_note(RecordHead& head, const std::string& words) {
  if (!words.empty()) head.note += (head.note.empty() ? "" : "; ") + words;
}

/// Turns tables into records, one after another.
class LogReader {
public:
  LogReader(const ImportContext& stated, std::vector<Mistake>& mistakes, Imported& out)
      : stated_(stated), given_(read_nccl_given(stated, mistakes)), mistakes_(mistakes), out_(out) {}

  void add(const NcclTable& table) {
    if (!wanted(table)) return;
    Run run;
    run.table = &table;
    run.scale = read_scale(table);
    if (!run.scale.mistake.empty() || !find_operation(run)) return;
    run.gpu = find_gpu_name(run.scale);
    run.transport = !given_.transport.empty() ? given_.transport
                    : run.scale.nodes > 1     ? table.debug.transport
                                              : "unknown";
    run.algorithm = given_.algorithm.empty() ? nccl_algorithm_of(table, run.scale.nodes) : given_.algorithm;
    if (first_.table == nullptr) first_ = run;
    if (!table.complete) note(table, "the closing lines are missing: the run may have been cut short");
    if (auto conflict = average_conflict(table); !conflict.empty()) mistake(table, std::move(conflict));
    for (const bool in_place : {false, true}) add_timings(run, in_place);
  }

  /// Returns the GPU of the first run; "" if it names none.
  const std::string& device() const { return first_.scale.device; }

  /// Fills in the machine from the first run.
  void complete_context(ImportContext& context) const {
    if (first_.table == nullptr) return;
    const auto& table = *first_.table;
    if (context.date.empty()) context.date = table.date;
    if (context.software.empty()) {
      context.software = fmt::format("{}{}{}, {}", table.library, table.nccl_version.empty() ? "" : " ",
                                     table.nccl_version, table.library == "RCCL" ? "rccl-tests" : "nccl-tests");
    }
    if (context.machine.empty() && !first_.scale.device.empty()) {
      context.machine =
          fmt::format("{} x {}, {}", first_.scale.nodes,
                      (first_.scale.ranks + first_.scale.nodes - 1) / first_.scale.nodes, first_.scale.device);
    }
  }

private:
  void mistake(const NcclTable& table, std::string what) { mistakes_.push_back({table.where, "", std::move(what)}); }
  void note(const NcclTable& table, const std::string& what) { out_.notes.push_back(table.where + ": " + what); }

  bool wanted(const NcclTable& table) {
    const auto& operations = nccl_operations();
    const bool known = std::any_of(operations.begin(), operations.end(),
                                   [&](const NcclOperation& one) { return one.program == table.program; }) ||
                       table.program == nccl_exchange().program;
    if (table.rows.empty()) {
      note(table, "a table without rows was left out");
    } else if (!table.program.empty() && !known) {
      note(table, fmt::format("the table of {} was left out: it is no collective operation "
                              "that records have",
                              table.program));
    } else {
      return true;
    }
    return false;
  }

  NcclScale read_scale(const NcclTable& table) {
    auto scale = scale_of(table);
    if (given_.ranks > 0) {
      scale.ranks = given_.ranks;
      scale.mistake.clear();
    }
    if (given_.nodes > 0) {
      scale.nodes = given_.nodes;
      scale.question.clear();
    }
    if (scale.mistake.empty()) scale.mistake = scale.question;
    if (scale.mistake.empty() && (scale.ranks == 0 || scale.nodes == 0))
      scale.mistake = "found no device list ('Rank 0 ... on HOST device 0') above the table, expected one; say --set "
                      "ranks=N and --set nodes=N";
    if (scale.mistake.empty() && scale.nodes > scale.ranks)
      scale.mistake =
          fmt::format("found {} nodes for {} ranks, expected no more nodes than ranks", scale.nodes, scale.ranks);
    if (!scale.mistake.empty()) mistake(table, scale.mistake);
    return scale;
  }

  /// Finds the operation: from the command line, else from the program's name, else from the columns and bandwidths.
  bool find_operation(Run& run) {
    if (given_.operation.empty() && run.table->program.empty()) return deduce_operation(run);
    if (given_.operation.empty() && run.table->program == nccl_exchange().program) return take_exchange(run);
    for (const auto& operation : nccl_operations()) {
      if (given_.operation.empty() ? operation.program == run.table->program : operation.name == given_.operation)
        run.operation = operation;
    }
    return !run.operation.name.empty(); // otherwise the command line named an operation that does not fit
  }

  /// Reads sendrecv between two ranks. Records can hold the messages of a pair, but not those of a ring of more ranks.
  bool take_exchange(Run& run) {
    constexpr int pair = 2;
    run.operation = nccl_exchange();
    if (run.scale.ranks == pair) return true;
    note(*run.table,
         fmt::format("the table of sendrecv was left out: records have exchanges of two ranks, and it is of "
                     "{}; run it on 2",
                     run.scale.ranks));
    return false;
  }

  bool deduce_operation(Run& run) {
    const auto possible = possible_operations(*run.table, run.scale.ranks);
    if (possible.size() == 1) {
      run.operation = possible.front();
      return run.operation_deduced = true;
    }
    std::vector<std::string> names;
    names.reserve(possible.size());
    for (const auto& operation : possible) names.push_back(operation.name);
    mistake(*run.table, fmt::format("found no line that names the program, and {}; say --set operation=NAME",
                                    names.empty() ? "bandwidths that fit no operation on " +
                                                        std::to_string(run.scale.ranks) + " ranks"
                                                  : "columns that fit " + join_names(names, " and ")));
    return false;
  }

  /// Returns the name of the GPU. Times of collectives use no other property of it.
  std::string find_gpu_name(const NcclScale& scale) {
    return stated_.gpu.empty() ? catalogue_gpu_name(scale.device, stated_.catalogue) : stated_.gpu;
  }

  void add_timings(const Run& run, bool in_place) {
    const auto& rows = run.table->rows;
    const bool row_marked = std::any_of(rows.begin(), rows.end(), [](const NcclRow& row) {
      return (row.out_of_place && row.out_of_place->wrong) || (row.in_place && row.in_place->wrong);
    });
    for (const auto& row : rows) {
      const auto& timing = in_place ? row.in_place : row.out_of_place;
      if (!timing) continue;
      if (row.size_bytes == 0) {
        if (!in_place) out_.notes.push_back(fmt::format("{}: a row of 0 bytes was left out", row.where));
        continue;
      }
      check(run, row, *timing, in_place);
      auto record = make_record(run, row, *timing, in_place);
      record.head.suspect = timing->wrong || (run.table->failed && !row_marked);
      record.head.series = free_series(run, record.head.series);
      if (record.head.suspect) add_note(record.head, "wrong values");
      if (run.operation.program == nccl_exchange().program) {
        out_.measurements.records.emplace_back(message_of(record));
      } else {
        out_.measurements.records.emplace_back(record);
      }
    }
  }

  static PointToPointRecord message_of(const CollectiveRecord& record) {
    PointToPointRecord message;
    message.head = record.head;
    message.size_bytes = record.size_bytes;
    message.time_s = record.time_s;
    message.nodes = record.nodes;
    message.both_ways = true;
    return message;
  }

  void check(const Run& run, const NcclRow& row, const NcclTiming& timing, bool in_place) {
    auto what = timing.time_us.value > 0 ? bandwidth_conflict(timing, row.size_bytes, run.operation, run.scale.ranks)
                                         : std::string("found a time of 0, expected microseconds");
    if (what.empty()) return;
    mistakes_.push_back({row.where, row.path,
                         fmt::format("{}: {}; mend or remove the row{}", in_place ? "in-place" : "out-of-place", what,
                                     given_.ranks > 0 ? ", or correct ranks" : "")});
  }

  CollectiveRecord make_record(const Run& run, const NcclRow& row, const NcclTiming& timing, bool in_place) const {
    CollectiveRecord record;
    auto& head = record.head;
    head.file = out_.measurements.file.string();
    head.line = row.line;
    head.series = fmt::format("{}-{}", run.operation.name, row.type);
    if (row.redop != "none" && row.redop != "sum") head.series += "-" + row.redop;
    if (row.root > 0) head.series += fmt::format("-root{}", row.root);
    if (run.algorithm != "unknown") head.series += "-" + run.algorithm;
    if (in_place) head.series += "-in-place";
    if (!row.path.empty()) head.from = row.path + (in_place ? "/in_place" : "/out_of_place");
    head.origin = "run";
    head.gpu = run.gpu;
    head.transport = run.transport;
    head.library = "nccl"; // RCCL counts as NCCL
    head.statistic = "mean";
    head.repeats = run.table->iterations;
    head.relative_spread = timing.relative_spread;
    if (in_place) add_note(head, "in-place");
    if (run.operation_deduced) add_note(head, "operation deduced from columns and bandwidths");
    if (!row.algorithm.empty()) add_note(head, fmt::format("NCCL took {} with {}", row.algorithm, row.protocol));
    record.operation = run.operation.name;
    record.algorithm = run.algorithm;
    record.ranks = run.scale.ranks;
    record.nodes = run.scale.nodes;
    record.concurrent_jobs = run.scale.communicators;
    record.size_bytes = row.size_bytes;
    record.time_s = timing.time_us.value / us_per_s;
    return record;
  }

  /// Returns a series name that is not in use. A second run at the same scale is another experiment, whose name ends in
  /// "-run2".
  std::string free_series(const Run& run, const std::string& series) {
    for (int number = 1;; ++number) {
      auto name = number == 1 ? series : fmt::format("{}-run{}", series, number);
      const SeriesKey key{name, run.scale.ranks, run.scale.nodes, run.scale.communicators};
      const auto [at, fresh] = table_of_.emplace(key, run.table);
      if (fresh || at->second == run.table) return name;
    }
  }

  const ImportContext& stated_;
  NcclGiven given_;
  std::vector<Mistake>& mistakes_;
  Imported& out_;
  Run first_;
  /// A series at one scale, which only one table may fill.
  struct SeriesKey {
    std::string name;
    int ranks = 0;
    int nodes = 0;
    int communicators = 0;
    auto operator<=>(const SeriesKey&) const = default;
  };
  std::map<SeriesKey, const NcclTable*> table_of_;
};

bool is_json(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

} // namespace

Resemblance resembles_nccl_tests(std::string_view text) {
  return has_any(text, {"busbw", "\"nccl_version\""}) ? Resemblance::own_words : Resemblance::none;
}

/// Reads the output of all_reduce_perf and its siblings, as text or as JSON. Each row gives one record of a collective
/// for each of its halves (out of place, in place). size_bytes is the program's `size`, and time_s its `time`.
/// `stated.given` may have operation, ranks, nodes, transport and algorithm. sendrecv between two ranks becomes
/// messages in both directions.
/// Mistakes are, among others, an incomplete row, a bandwidth that contradicts time, size and number of ranks
/// (NVIDIA/nccl-tests doc/PERFORMANCE.md), and a run whose ranks or operation the log does not show.
Imported import_nccl_tests(LogSource source, const ImportContext& stated) {
  const auto file = source.name();
  std::vector<Mistake> mistakes;
  Imported out;
  out.measurements.file = file;
  const auto tables = is_json(source.head()) ? parse_nccl_json(source.text(), file, mistakes)
                                             : parse_nccl_log(source, mistakes, out.notes);
  LogReader reader(stated, mistakes, out);
  for (const auto& table : tables) reader.add(table);
  auto context = stated;
  reader.complete_context(context);
  take_logged_gpu(reader.device(), context, out.notes);
  fill_from_cluster(context);
  out.measurements.context = context_record(context, file, mistakes);
  if (out.measurements.records.empty() && mistakes.empty()) {
    mistakes.push_back(
        {file.string(), "",
         fmt::format("found no row of a nccl-tests table, expected one below a header 'size count type ... time algbw "
                     "busbw'{}",
                     out.notes.empty() ? "" : "; " + join_names(out.notes, "; "))});
  }
  throw_mistakes(mistakes);
  return out;
}

} // namespace ddlsim
