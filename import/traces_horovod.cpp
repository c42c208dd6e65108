// The forms of the events are those of horovod/horovod horovod/common/timeline.cc.
#include "import/plain_text.hpp"
#include "import/traces.hpp"
#include "sim/base/error.hpp"

#include <nlohmann/json.hpp>

#include <charconv>
#include <cmath>
#include <map>

namespace ddlsim {
namespace {

using nlohmann::json;

constexpr double us_of_timeline_per_s = 1e6;
constexpr int most_horovod_ranks = 10'000'000; ///< number of ranks above that of any machine
constexpr int event_of_a_list = 1;             ///< depth of an event in [ {event} ]

std::string word_at(const json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_string() ? found->get<std::string>() : "";
}

/// The open events of one tensor, and when its all-reduces began.
struct TensorRow {
  std::vector<std::pair<std::string, double>> open; ///< names and seconds of open events
  std::vector<double> all_reduces_begin_s;
};

class TimelineReader {
public:
  void take(const json& event) {
    const auto time = event.find("ts");
    const auto process = event.find("pid");
    if (time == event.end() || !time->is_number() || process == event.end() || !process->is_number_integer()) return;
    const double at_s = time->get<double>() / us_of_timeline_per_s;
    if (!std::isfinite(at_s)) return;
    auto& tensor = tensors_[process->get<long>()];
    const auto phase = word_at(event, "ph");
    if (phase == "B") begin(word_at(event, "name"), at_s, tensor);
    if (phase == "E") end(at_s, tensor);
    if (phase == "X") take_answer(word_at(event, "name"), tensor);
  }

  HorovodTimeline finish() {
    const TensorRow* most = nullptr;
    for (const auto& [process, tensor] : tensors_) {
      if (!tensor.all_reduces_begin_s.empty()) ++timeline_.tensors;
      if (most == nullptr || tensor.all_reduces_begin_s.size() > most->all_reduces_begin_s.size()) most = &tensor;
    }
    for (std::size_t i = 1; most != nullptr && i < most->all_reduces_begin_s.size(); ++i)
      if (const double step_s = most->all_reduces_begin_s[i] - most->all_reduces_begin_s[i - 1]; step_s > 0)
        timeline_.steps_s.push_back(step_s);
    return std::move(timeline_);
  }

private:
  void begin(const std::string& name, double at_s, TensorRow& tensor) {
    tensor.open.emplace_back(name, at_s);
    if (name == "ALLREDUCE" && tensor.open.size() == 1) tensor.all_reduces_begin_s.push_back(at_s);
  }

  void end(double at_s, TensorRow& tensor) {
    if (tensor.open.empty()) return;
    const auto [name, begin_s] = tensor.open.back();
    tensor.open.pop_back();
    const TraceInterval interval{begin_s, at_s};
    if (name == "NEGOTIATE_ALLREDUCE") timeline_.negotiations.push_back(interval);
    if (name == "ALLREDUCE" && tensor.open.empty()) timeline_.all_reduces.push_back(interval);
    const bool in_all_reduce = !tensor.open.empty() && tensor.open.front().first == "ALLREDUCE";
    if (!in_all_reduce || name.size() <= 9 || !name.ends_with("ALLREDUCE")) return;
    timeline_.library_calls.push_back(interval);
    for (const char* library : {"nccl", "mpi", "gloo"})
      if (lower_case(name).starts_with(library)) timeline_.library = library;
  }

  /// Takes a rank's answer in a negotiation. The name of the event is the rank.
  void take_answer(const std::string& name, const TensorRow& tensor) {
    if (tensor.open.empty() || !tensor.open.back().first.starts_with("NEGOTIATE_")) return;
    int rank = -1;
    const auto read = std::from_chars(name.data(), name.data() + name.size(), rank);
    if (read.ec != std::errc() || read.ptr != name.data() + name.size()) return;
    if (rank >= 0 && rank < most_horovod_ranks) timeline_.ranks = std::max(timeline_.ranks, rank + 1);
  }

  std::map<long, TensorRow> tensors_;
  HorovodTimeline timeline_;
};

/// Whether only the end of the list is missing. Then the list was cut off and is not broken.
bool ends_there(std::istream& stream) {
  char letter = 0;
  while (stream.get(letter))
    if (std::string_view("] \t\r\n").find(letter) == std::string_view::npos) return false;
  return true;
}

} // namespace

HorovodTimeline read_horovod_timeline(LogSource& source) {
  const auto& file = source.name();
  LogStream stream(source);
  TimelineReader reader;
  bool is_list = false;
  const auto keep = [&](int depth, json::parse_event_t event, json& parsed) {
    if (depth == 0 && event == json::parse_event_t::array_start) is_list = true;
    if (depth != event_of_a_list || event != json::parse_event_t::object_end || !is_list) return true;
    reader.take(parsed);
    return false;
  };
  bool cut = false;
  try {
    const json rest = json::parse(stream, keep); // the callback keeps nothing of the list
  } catch (const json::parse_error& error) {
    cut = is_list && ends_there(stream);
    if (!cut)
      throw UserError(file.string(), "", "this is no JSON: " + in_quotes(error.what()) + "; write the timeline again");
  } catch (const json::exception& error) { // a number is too large for a double
    throw UserError(file.string(), "", "this is no JSON: " + in_quotes(error.what()) + "; write the timeline again");
  }
  if (!is_list) throw UserError(file.string(), "", "found no list of events, expected a timeline that Horovod wrote");
  auto timeline = reader.finish();
  timeline.is_cut = cut;
  return timeline;
}

} // namespace ddlsim
