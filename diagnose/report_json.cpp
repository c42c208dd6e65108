#include "diagnose/report.hpp"
#include "diagnose/words.hpp"
#include "sim/base/json.hpp"
#include "sim/formats/answer_types.hpp"
#include "sim/predict/measured.hpp"

#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

/// Version of the format.
constexpr int diagnosis_version = 2;

std::string word_of(Verdict verdict) {
  if (verdict == Verdict::not_normal) return "not normal";
  return verdict == Verdict::better ? "better than expected" : "normal";
}

/// The words of an enum's values up to the last one.
template <class Name, class WordOf> ValueType<std::string> words_up_to(Name last, WordOf word_of_value) {
  std::vector<std::string> words;
  for (int i = 0; i <= static_cast<int>(last); ++i) words.push_back(word_of_value(static_cast<Name>(i)));
  return word_type(words);
}

/// What was timed, or is to be timed.
std::vector<Field<Observation>> observation_rows() {
  const auto what = [](const Observation& one) { return to_text(one.what); };
  const auto has_size = [](const Observation& one) { return is_collective(one); };
  return {answered<Observation>("gpus", &Observation::gpus, number_of_things(1), "that took part"),
          answered<Observation>("what", what,
                                words_up_to(Measured::all_to_all, [](Measured one) { return to_text(one); }),
                                "what is timed"),
          answered_where<Observation>(has_size, "size_bytes", &Observation::size_bytes, rounded_positive_type(),
                                      "of a collective: what nccl-tests calls size")};
}

/// The bus bandwidths of a collective, measured and expected.
std::vector<Field<ComparedPoint>> bus_rows() {
  using One = ComparedPoint;
  const auto bus_of = [](double IterationTime::*seconds) {
    return std::function<double(const One&)>(
        [seconds](const One& one) { return bus_Bps(one.observed, one.expected.*seconds); });
  };
  const auto measured = [](const One& one) { return bus_Bps(one.observed, one.observed.time_s); };
  std::vector<Field<One>> rows{
      answered<One>("bus_Bps", measured, rounded_positive_type(), "bus bandwidth of a collective")};
  add_to(rows, interval_rows<One, double>("expected_bus_Bps", bus_of(&IterationTime::s), bus_of(&IterationTime::s_high),
                                          bus_of(&IterationTime::s_low), rounded_positive_type(), "the same"));
  return rows;
}

FieldTable<ComparedPoint> compared_fields() {
  using One = ComparedPoint;
  const auto expected = [](double IterationTime::*seconds) {
    return std::function<double(const One&)>([seconds](const One& one) { return one.expected.*seconds; });
  };
  const auto is_of_collective = [](const One& one) { return is_collective(one.observed); };
  const auto position = [](const One& one) { return to_text(position_in(one.expected, one.observed.time_s)); };
  const auto words = words_up_to(PositionInInterval::slower, [](PositionInInterval one) { return to_text(one); });
  FieldTable<One> table{rows_of_part<One>(&One::observed, observation_rows())};
  table.fields.push_back(
      answered<One>("time_s", within(&One::observed, &Observation::time_s), rounded_positive_type(), "measured"));
  add_to(table.fields,
         interval_rows<One, double>("expected_s", expected(&IterationTime::s), expected(&IterationTime::s_low),
                                    expected(&IterationTime::s_high), rounded_positive_type(), "on a healthy cluster"));
  add_to(table.fields,
         rows_of_part<One>(std::identity{}, bus_rows(), std::function<bool(const One&)>(is_of_collective)));
  table.fields.push_back(answered<One>("is", position, words, "the measured time, of the expected interval"));
  return table;
}

FieldTable<Cause> cause_fields() {
  const auto has_severity = [](const Cause& cause) { return cause.row.severity != Severity::none; };
  const auto text = [](auto member) { return [member](const Cause& cause) { return cause.row.*member; }; };
  const auto positive = rounded_positive_type();
  return {{answered<Cause>("cause", text(&FaultRow::name), text_type(), "its name"),
           answered<Cause>("what", text(&FaultRow::what), text_type(), "the same in a sentence"),
           answered<Cause>("chance", &Cause::chance, rounded_type(0, 1), "among all causes here"),
           answered_where<Cause>(has_severity, "times_as_slow", &Cause::severity, positive,
                                 "of what the fault acts on: the median"),
           answered_where<Cause>(has_severity, "times_as_slow_low", &Cause::severity_low, positive,
                                 "5 % of the samples are below"),
           answered_where<Cause>(has_severity, "times_as_slow_high", &Cause::severity_high, positive,
                                 "5 % of the samples are above"),
           answered<Cause>("look_at", text(&FaultRow::look_at), text_type(), "what to check")}};
}

/// An advantage states how many times as fast, instead of how many times as slow.
FieldTable<Cause> gain_fields() {
  const auto has_severity = [](const Cause& cause) { return cause.row.severity != Severity::none; };
  const auto text = [](auto member) { return [member](const Cause& cause) { return cause.row.*member; }; };
  return {{answered<Cause>("fits", text(&FaultRow::name), text_type(), "its name"),
           answered<Cause>("what", text(&FaultRow::what), text_type(), "the same in a sentence"),
           answered_where<Cause>(has_severity, "times_as_fast", &Cause::severity, rounded_positive_type(),
                                 "of what it acts on: the median")}};
}

FieldTable<UntestedFault> untested_fields() {
  using One = UntestedFault;
  const auto text = [](auto member) { return [member](const One& one) { return one.row.*member; }; };
  const auto missing = [](const One& one) { return to_text(one.missing); };
  return {
      {answered<One>("cause", text(&FaultRow::name), text_type(), "its name"),
       answered<One>("what", text(&FaultRow::what), text_type(), "the same in a sentence"),
       answered<One>("not_timed", missing, words_up_to(Untimed::several_gpus, [](Untimed one) { return to_text(one); }),
                     "what would have to be timed")}};
}

FieldTable<DiscriminatingPoint> discriminating_fields() {
  using One = DiscriminatingPoint;
  FieldTable<One> table{rows_of_part<One>(&One::point, observation_rows())};
  add_to(table.fields,
         {answered<One>("first", &One::first, text_type(), "a cause"),
          answered<One>("second", &One::second, text_type(), "another cause"),
          answered<One>("first_s", &One::first_s, rounded_positive_type(), "expected with the first"),
          answered<One>("second_s", &One::second_s, rounded_positive_type(), "expected with the second")});
  return table;
}

const FieldTable<Diagnosis>& diagnosis_fields() {
  using One = Diagnosis;
  const auto is_normal = [](const One& one) { return one.verdict != Verdict::not_normal; };
  const auto verdict = [](const One& one) { return word_of(one.verdict); };
  static const auto table = document<One>(
      "ddlsim-diagnosis", diagnosis_version,
      {answered<One>("headline", &One::headline, text_type(), "what was run, and on which cluster"),
       answered<One>("model", &One::model, any_text_type(), "of the question"),
       answered<One>("cluster", &One::cluster, any_text_type(), "of the question"),
       answered<One>("question", &One::question, text_type(), "strategy, cluster, preset and transport by name"),
       answered<One>(
           "ddlsim", [](const One&) { return version(); }, text_type(), "version of the program"),
       answered<One>("normal", is_normal, boolean_type(), "false: the cluster is not healthy"),
       answered<One>("verdict", verdict, words_up_to(Verdict::not_normal, word_of), "in words"),
       answered<One>("chance_if_healthy", &One::chance_if_healthy, rounded_type(0, 1),
                     "that a healthy cluster gives at least as much evidence of a fault"),
       answered<One>("points", &One::points, answer_list(answer_object(compared_fields())),
                     "measured times beside expected ones"),
       answered<One>("causes", &One::causes, answer_list(answer_object(cause_fields()), 1), "the likeliest first"),
       answered<One>("cannot_test", &One::untested, answer_list(answer_object(untested_fields())),
                     "causes that what was timed cannot show"),
       answered_if_any<One>("better_because", &One::gain, answer_object(gain_fields()),
                            "what explains times that are shorter than expected"),
       answered_if_any<One>("tell_apart", &One::discriminating, answer_object(discriminating_fields()),
                            "the measurement that distinguishes the first two causes best"),
       optional("warnings", &One::warnings, list_type(text_type()), "sentences for the reader")});
  return table;
}

} // namespace

FileFormat diagnosis_format() {
  return {"diagnosis", "Diagnosis of measured times",
          "What `ddlsim diagnose --json` prints, in SI units with nine significant digits", diagnosis_fields().shape(),
          true};
}

std::string to_json_text(const Diagnosis& diagnosis) {
  return json_text(write_fields(diagnosis_fields(), diagnosis), 1) + "\n";
}

} // namespace ddlsim
