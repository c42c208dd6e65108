#include "sim/base/plain_number.hpp"
#include "sim/base/table.hpp"
#include "sim/predict/at_hand.hpp"
#include "sim/predict/prediction_sentences.hpp"
#include "sim/predict/report.hpp"
#include "viewer/answers/pictures.hpp"
#include "viewer/answers/prediction_charts.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

/// What stands in brackets and behind them in the first sentence of the screen: "nodes of 4 V100, 128 images a GPU, fp32".
std::string facts_of(const std::string& question, const std::string& title) {
  auto facts = question.starts_with(title) ? question.substr(title.size()) : question;
  for (const char* unwanted : {" (", ")"})
    if (const auto at = facts.find(unwanted); at != std::string::npos) facts.erase(at, std::string(unwanted).size());
  if (!facts.empty() && facts.back() == '.') facts.pop_back();
  return facts;
}

/// What is known besides of servers, layouts, input and offload.
PageNote details_note(const Prediction& prediction) {
  PageNote note{"more", "More about this answer", {}};
  for (const auto& answer : prediction.strategies) {
    const auto* point = largest_possible(answer);
    if (point == nullptr) continue;
    for (const auto& text : layout_sentences(answer)) note.paragraphs.push_back(text);
    for (const auto& text : {server_lines(answer), offload_sentence(answer), input_sentences(*point)})
      if (!text.empty()) note.paragraphs.push_back(text);
  }
  return note;
}

void add_notes(Picture& picture, const PredictionScreen& screen, const Prediction& prediction) {
  const auto& time = screen.time_goes;
  if (time.empty()) return;
  picture.notes.push_back({"parts", time.substr(0, time.find(": ")), {after_label(time)}});
  if (!screen.other_ways.empty()) picture.notes.push_back({"ways", "Other ways", {screen.other_ways}});
  picture.notes.push_back(
      {"sure", "How sure, and what to measure next", {after_label(screen.how_sure), after_label(screen.measure_next)}});
  PageNote assumptions{"notes", "Assumptions and notes", prediction.warnings};
  for (const auto& answer : prediction.strategies) {
    const auto& text = answer.one_gpu.text;
    auto& told = assumptions.paragraphs;
    if (std::find(told.begin(), told.end(), text) == told.end()) told.push_back(text);
  }
  picture.folded.push_back(std::move(assumptions));
  picture.folded.push_back(details_note(prediction));
}

} // namespace

Picture prediction_picture(const Prediction& prediction) {
  const auto screen = screen_sentences(prediction);
  Picture picture;
  picture.title = prediction.scenario.model + " on " + prediction.scenario.cluster;
  picture.facts = facts_of(screen.question, picture.title);
  set_verdict(picture, screen.verdict);
  picture.json = to_json_text(prediction);
  add_notes(picture, screen, prediction);
  const auto* answer = recommended_answer(prediction);
  picture.is_bad = answer == nullptr || picture.heading.starts_with("Does not fit");
  if (picture.is_bad) picture.figure = picture.heading.substr(0, picture.heading.find(':'));
  if (answer == nullptr) {
    picture.sentences.clear();
    for (const auto& one : prediction.strategies)
      for (const auto& point : one.points) {
        const auto sentence =
            fmt::format("{}, {}: {}.", label_of(one.strategy), gpus_in_words(point.gpus), point.error);
        if (picture.sentences.size() < 3) picture.sentences.push_back(sentence);
      }
    return picture;
  }
  if (const auto* point = point_at(*answer, gpus_at_hand(prediction))) {
    const auto& machine = prediction.machine;
    const bool tokens = machine.tokens_per_sample > 0;
    const double factor = tokens ? machine.tokens_per_sample : 1;
    picture.figure_at_hand = PictureFigure{
        fmt::format("{}/s on {} GPUs", tokens ? "tokens" : machine.unit, with_commas(point->gpus)),
        factor * point->samples_per_s, factor * point->samples_per_s_low, factor * point->samples_per_s_high};
  }
  picture.shown_row = static_cast<std::size_t>(answer - prediction.strategies.data());
  picture.charts = prediction_charts(prediction, *answer);
  return picture;
}

} // namespace ddlsim
