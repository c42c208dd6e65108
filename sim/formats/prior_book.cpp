#include "sim/formats/prior_book.hpp"

#include "sim/base/two_level_prior.hpp"
#include "sim/formats/learnt_parameter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace ddlsim {
namespace {

/// The estimate from one site, with the site's name.
struct SiteSays {
  std::string site;
  const SiteValue* value;
};

using SaysByClass = std::map<PriorClass, std::vector<SiteSays>>;

/// A class with its expected row and the estimates from sites.
struct BookClass {
  Prior prior;
  std::vector<SiteSays> sites{};
};

SaysByClass says_by_class(const PriorBook& book) {
  SaysByClass says;
  for (const auto& summary : book.sites)
    for (const auto& value : summary.values) says[value.of].push_back({summary.site, &value});
  return says;
}

/// Returns the expected row for a class, in the order of find_prior(); rows for the class' own path, links and GPUs come
/// first.
const Prior* expected_of(const std::vector<Prior>& expected, const PriorClass& of) {
  for (const bool own_path : {true, false}) {
    const auto path = own_path ? of.path : std::nullopt;
    const auto inside = own_path ? of.inside : std::nullopt;
    const int capability = own_path ? of.from_capability : 0;
    for (const auto& [transport, preset] :
         {std::pair{of.transport, of.preset}, {of.transport, ""}, {"", of.preset}, {"", ""}})
      for (const auto& prior : expected)
        if (class_of(prior) == PriorClass{of.parameter, transport, preset, path, inside, capability}) return &prior;
  }
  return nullptr;
}

std::vector<BookClass> classes_of(const PriorBook& book) {
  auto says = says_by_class(book);
  std::vector<BookClass> classes;
  std::set<PriorClass> seen;
  for (const auto& prior : book.expected) {
    const auto of = class_of(prior);
    if (seen.insert(of).second)
      classes.push_back({prior, says[of]});
    else if (!says[of].empty()) // the estimates include the site that shaped the first row
      std::find_if(classes.begin(), classes.end(), [&](const BookClass& one) {
        return class_of(one.prior) == of;
      })->prior = prior;
  }
  for (const auto& [of, sites] : says) {
    const auto* expected = expected_of(book.expected, of);
    if (seen.count(of) > 0 || expected == nullptr) continue;
    classes.push_back({*expected, sites});
    auto& prior = classes.back().prior;
    prior.transport = of.transport;
    prior.preset = of.preset;
    prior.path = of.path;
    prior.inside = of.inside;
    prior.from_capability = of.from_capability;
  }
  return classes;
}

SiteClass in_ln(const BookClass& one) {
  SiteClass of{std::log(one.prior.median), one.prior.width, {}};
  for (const auto& site : one.sites) of.sites.push_back({std::log(site.value->value), site.value->error});
  return of;
}

double three_digits(double value) {
  return std::stod(fmt::format("{:.3g}", value));
}

void take(BookClass& one, const NewSite& learnt) {
  auto& prior = one.prior;
  if (!one.sites.empty()) {
    prior.source = fmt::format("learnt from {}; before: {:.3g}, {}",
                               one.sites.size() == 1 ? "one site" : fmt::format("{} sites", one.sites.size()),
                               prior.median, prior.source);
    for (const auto& site : one.sites) prior.shaped_by.push_back(site.site);
  }
  prior.median = three_digits(std::exp(learnt.mean));
  if (prior.highest) prior.median = std::min(prior.median, *prior.highest);
  prior.width = three_digits(learnt.width);
}

/// Number of sites from which a class says by itself how much its sites differ. Three or four sites can be alike by
/// chance: their scatter is known to a factor of two.
constexpr std::size_t sites_enough = 5;

/// Sets the priors of the classes of one parameter from their sites.
void learn(const std::vector<BookClass*>& classes, double scatter) {
  std::vector<SiteClass> in_lns;
  for (const auto* one : classes) in_lns.push_back(in_ln(*one));
  const auto learnt = two_level_priors(in_lns, scatter);
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const bool by_itself = in_lns[i].sites.size() >= sites_enough;
    take(*classes[i], by_itself ? two_level_priors({in_lns[i]}, scatter).new_sites.front() : learnt.new_sites[i]);
  }
}

/// Stands for a width of 0: z-scores are still divided by it, and no value differs visibly from the median.
constexpr double no_width = 1e-9;

} // namespace

PriorBook without_site(PriorBook book, const std::string& site) {
  std::erase_if(book.sites, [&](const SiteSummary& one) { return one.site == site; });
  std::erase_if(book.expected, [&](const Prior& prior) {
    return std::find(prior.shaped_by.begin(), prior.shaped_by.end(), site) != prior.shaped_by.end();
  });
  return book;
}

std::vector<Prior> priors_for(const PriorBook& book) {
  auto classes = classes_of(book);
  std::map<std::string, std::vector<BookClass*>> by_parameter;
  for (auto& one : classes)
    if (learnt_parameter(one.prior.parameter) != nullptr && one.prior.scale == PriorScale::log)
      by_parameter[one.prior.parameter].push_back(&one);
  for (const auto& [parameter, of] : by_parameter) learn(of, learnt_parameter(parameter)->scatter);
  std::vector<Prior> priors;
  for (auto& one : classes) {
    if (std::count(book.without_width.begin(), book.without_width.end(), one.prior.parameter) > 0)
      one.prior.width = no_width;
    priors.push_back(std::move(one.prior));
  }
  return priors;
}

std::vector<Prior> priors_for(const PriorBook& book, const std::string& without) {
  return priors_for(without_site(book, without));
}

} // namespace ddlsim
