#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/formats/file_formats.hpp"
#include "sim/formats/learnt_parameter.hpp"
#include "sim/formats/prior_book.hpp"
#include "sim/formats/prior_fields.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace ddlsim {
namespace {

/// The rows of a class, of which the arguments are the accessors.
template <class Owner, class Parameter, class Transport, class Preset, class Path, class Inside, class Capability>
std::vector<Field<Owner>> class_rows(Parameter parameter, Transport transport, Preset preset, Path path, Inside inside,
                                     Capability from_capability) {
  return {required("parameter", parameter, text_type(), "its name"),
          optional("transport", transport, word_type(transport_names()), "holds for all if not given"),
          optional("preset", preset, any_text_type(), "holds for all if not given"),
          optional("path", path, optional_type(name_of_type<NicPath>()),
                   "of the transport's NIC; holds for all if not given"),
          optional("inside", inside, optional_type(name_of_type<IntraKind>()),
                   "links between GPUs of a node; holds for all if not given"),
          optional("compute_capability", from_capability, capability_type(),
                   "the least of the GPU; holds for all if not given")};
}

void check_path(const JsonNode& object, const std::optional<NicPath>& path, const std::string& transport) {
  if (path && transport.empty()) object.mistake_at("path", "a path is a transport's; give \"transport\" too");
}

/// Bounds of a width of ln x. A value beyond them is a typing error, and its square would overflow or vanish.
constexpr double least_width = 1e-6;
constexpr double most_width = 100;

void check_expected(const JsonNode& object, Prior& prior) {
  check_path(object, prior.path, prior.transport);
  check_distribution(object, prior);
  if (prior.scale == PriorScale::linear) return;
  if (prior.median <= 0) object.mistake_at("median", "0 found; give a number above 0, or \"scale\": \"linear\"");
  object.number("width", least_width, most_width);
}

FieldTable<Prior> expected_fields() {
  auto rows = class_rows<Prior>(&Prior::parameter, &Prior::transport, &Prior::preset, &Prior::path, &Prior::inside,
                                &Prior::from_capability);
  add_to(rows, distribution_rows(rounded_type()));
  rows.push_back(required("unit", &Prior::unit, text_type(), "of the median"));
  rows.push_back(required("source", &Prior::source, paragraph_type(), "where the figures come from"));
  rows.push_back(optional("shaped_by", &Prior::shaped_by, list_type(text_type()),
                          "sites whose measurements shaped it: it is dropped where one of them is unseen"));
  return {std::move(rows), check_expected};
}

FieldTable<SiteValue> site_value_fields() {
  const auto of = [](auto member) { return within(&SiteValue::of, member); };
  auto rows = class_rows<SiteValue>(of(&PriorClass::parameter), of(&PriorClass::transport), of(&PriorClass::preset),
                                    of(&PriorClass::path), of(&PriorClass::inside), of(&PriorClass::from_capability));
  rows.push_back(required("value", &SiteValue::value, rounded_positive_type(), "median"));
  rows.push_back(
      required("error", &SiteValue::error, rounded_type(least_width, most_width), "standard deviation of ln x"));
  return {std::move(rows),
          [](const JsonNode& object, SiteValue& value) { check_path(object, value.of.path, value.of.transport); }};
}

FieldTable<SiteSummary> site_fields() {
  return {{required("site", &SiteSummary::site, text_type(), "whose measurements these are"),
           required("values", &SiteSummary::values, list_type(object_type(site_value_fields())),
                    "each of a class that a row of `expected` has")}};
}

/// Whether the later of two rows is never used: the first of a class applies, unless a site that shaped it is left out.
bool hides(const Prior& earlier, const Prior& later) {
  return class_of(earlier) == class_of(later) && !earlier.parameter.empty() &&
         std::all_of(earlier.shaped_by.begin(), earlier.shaped_by.end(),
                     [&](const std::string& site) { return is_in(later.shaped_by, site); });
}

/// Notes rows that are never reached.
void check_reached(const std::vector<JsonNode>& places, const std::vector<Prior>& priors) {
  for (std::size_t i = 0; i < priors.size(); ++i)
    if (std::any_of(priors.begin(), priors.begin() + static_cast<std::ptrdiff_t>(i),
                    [&](const Prior& earlier) { return hides(earlier, priors[i]); }))
      places[i].mistake(fmt::format("a second row of {} for the same transport and preset, which is never reached; "
                                    "keep one, or say which sites shaped the first",
                                    in_quotes(priors[i].parameter)));
}

/// Notes a site's value of a class that it cannot have, or has twice.
void check_value(const JsonNode& place, const PriorClass& of, const std::set<PriorClass>& expected,
                 std::set<PriorClass>& seen) {
  if (learnt_parameter(of.parameter) == nullptr)
    place.mistake_at("parameter",
                     fmt::format("{} is not learnt from sites; remove the value", in_quotes(of.parameter)));
  else if (expected.count(of) == 0)
    place.mistake(fmt::format("no row of \"expected\" is of {}; add one, or remove the value", to_text(of)));
  else if (!seen.insert(of).second)
    place.mistake(fmt::format("a second value of {} from this site; keep one", to_text(of)));
}

void check_sites(const std::vector<JsonNode>& places, const PriorBook& book) {
  std::set<PriorClass> classes;
  for (const auto& prior : book.expected) classes.insert(class_of(prior));
  std::set<std::string> names;
  for (std::size_t i = 0; i < book.sites.size(); ++i) {
    const auto& site = book.sites[i];
    if (!names.insert(site.site).second)
      places[i].mistake_at("site", fmt::format("a second summary of {}; keep one", in_quotes(site.site)));
    std::set<PriorClass> seen;
    const auto values = places[i].list("values");
    for (std::size_t k = 0; k < values.size(); ++k) check_value(values[k], site.values[k].of, classes, seen);
  }
}

void check_book(const JsonNode& root, PriorBook& book) {
  check_reached(root.list("expected"), book.expected);
  check_sites(root.list("sites"), book);
}

const FieldTable<PriorBook>& prior_book_fields() {
  static const auto table = document<PriorBook>(
      "ddlsim-priors", priors_version,
      {optional("model", &PriorBook::model, any_text_type(), "version of the model that the sites were fitted with"),
       required("expected", &PriorBook::expected, list_type(object_type(expected_fields())), "before any site"),
       required("sites", &PriorBook::sites, list_type(object_type(site_fields())),
                "what measured sites say, written by `ddlsim calibrate --priors`")},
      check_book);
  return table;
}

/// Writes one element in each line, so that two files can be compared line by line.
template <class Each> std::string lines_of(const std::vector<Each>& all, const FieldTable<Each>& table) {
  std::string lines;
  for (const auto& one : all) lines += (lines.empty() ? "" : ",\n") + json_text(write_fields(table, one));
  return lines;
}

} // namespace

FileFormat priors_format() {
  return {"priors", "What is assumed before any measurement", "platforms/priors.json, in SI units",
          prior_book_fields().shape()};
}

PriorBook prior_book_from(const JsonNode& root) {
  return read_object(root, prior_book_fields());
}

PriorBook read_priors(const std::filesystem::path& file) {
  PriorBook book;
  read_document(file, "ddlsim-priors", priors_version, [&](const JsonNode& root) { book = prior_book_from(root); });
  return book;
}

std::string priors_json(const PriorBook& book) {
  const auto of_value = site_value_fields();
  std::string sites;
  for (const auto& one : book.sites)
    sites += fmt::format("{}{{\"site\":{},\"values\":[\n{}\n]}}", sites.empty() ? "" : ",\n", json_text(one.site),
                         lines_of(one.values, of_value));
  const auto model = book.model.empty() ? "" : fmt::format("\"model\":{},", json_text(book.model));
  return fmt::format("{{\"format\":\"ddlsim-priors\",\"version\":{},{}\"expected\":[\n{}\n],\n\"sites\":[\n{}\n]}}\n",
                     priors_version, model, lines_of(book.expected, expected_fields()), sites);
}

} // namespace ddlsim
