#pragma once
// platforms/priors.json: expected distributions of parameters, and their estimates from measured sites.

#include "sim/formats/prior.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// Version of priors.json. 3: expected distributions and estimates from sites are separate.
inline constexpr int priors_version = 3;

/// The estimate of a class from one site, with the prior of that site's fit divided out; ln x is normal.
struct SiteValue {
  PriorClass of;
  double value = 0; ///< median in SI units
  double error = 0; ///< standard deviation of ln x
};

struct SiteSummary {
  std::string site;
  std::vector<SiteValue> values;
};

struct PriorBook {
  std::string model{};              ///< version of the model that the sites were fitted with; "": not stated
  std::vector<Prior> expected{};    ///< priors without sites; the first row of a class applies, with sites the last
  std::vector<SiteSummary> sites{}; ///< written by `ddlsim calibrate --priors`
  std::vector<std::string> without_width{}; ///< parameters fixed at their medians, as when `validate` leaves one out
};

/// Returns the book as if the site had never been measured: without its estimates, and without the rows that it shaped.
PriorBook without_site(PriorBook book, const std::string& site);

/// Returns the priors of a new site, one for each class. For parameters that are estimated from sites
/// (learnt_parameter()) they are two_level_priors() of ln x: the class' mean has the expected median and width as its
/// prior, and the sites' values scatter around the mean. A class of three sites or more has a scatter
/// of its own; the others take that of all classes. A class without an expected row uses that of the next more
/// general class. Medians and widths have three digits, the same on every machine.
std::vector<Prior> priors_for(const PriorBook& book);

/// Returns the priors without the estimates of that site.
std::vector<Prior> priors_for(const PriorBook& book, const std::string& without_site);

PriorBook read_priors(const std::filesystem::path& file);

/// Returns the text of a priors file, which read_priors() reads back unchanged.
std::string priors_json(const PriorBook& book);

} // namespace ddlsim
