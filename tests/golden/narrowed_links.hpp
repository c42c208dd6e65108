#pragma once
// Changes the platforms of SimGrid behind the back of everything else.

#include <string>

namespace ddlsim {

/// While this lives, links of SimGrid's platforms whose name begins so are created with that share of their capacity.
/// Nothing else knows of it. One at a time.
class NarrowedLinks {
public:
  NarrowedLinks(std::string beginning, double share);
  ~NarrowedLinks();
  NarrowedLinks(const NarrowedLinks&) = delete;
  NarrowedLinks& operator=(const NarrowedLinks&) = delete;

  const std::string& beginning() const { return beginning_; }
  double share() const { return share_; }

private:
  std::string beginning_;
  double share_;
};

} // namespace ddlsim
