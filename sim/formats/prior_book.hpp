#pragma once
// platforms/priors.json: what is expected of parameters, and what measured sites say of them.

#include "sim/formats/prior.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// Of priors.json. 3: what is expected and what sites say stand apart.
inline constexpr int priors_version = 3;

/// What a site says of a class, the prior of its fit divided out: ln x is normal.
struct SiteValue {
  PriorClass of;
  double value = 0; ///< median, SI
  double error = 0; ///< standard deviation of ln x
};

struct SiteSummary {
  std::string site;
  std::vector<SiteValue> values;
};

struct PriorBook {
  std::string model{};              ///< version of the model that the sites were fitted with; "": not stated
  std::vector<Prior> expected{};    ///< before any site; of a class, the first holds, or where sites teach it the last
  std::vector<SiteSummary> sites{}; ///< by `ddlsim calibrate --priors`
  std::vector<std::string> without_width{}; ///< parameters that stand at their medians, as where one is left out
};

/// The book as if the site had never been measured: without what it says, and without what it shaped.
PriorBook without_site(PriorBook book, const std::string& site);

/// What a new site is expected to have, one prior a class. Those of a parameter that is learnt from sites
/// (learnt_parameter()) are two_level_priors() of ln x: the class' mean around the median that is expected, with the
/// width that is; the values of sites around it. A class whose expected row is gone stands on the next more general
/// one. Medians and widths have three digits, the same on every machine.
std::vector<Prior> priors_for(const PriorBook& book);

/// The same with the site unseen.
std::vector<Prior> priors_for(const PriorBook& book, const std::string& without_site);

PriorBook read_priors(const std::filesystem::path& file);

/// The text of a priors file; read_priors() reads back what was written.
std::string priors_json(const PriorBook& book);

} // namespace ddlsim
