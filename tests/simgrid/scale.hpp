#pragma once
// How large the full simulations of the tests are.

namespace ddlsim {

#if defined(__SANITIZE_ADDRESS__)
/// Sanitizer builds switch actors by threads, 60 x slower; messages grow as ranks^2, so ranks are cut to an eighth.
constexpr int most_ranks = 8;
#else
constexpr int most_ranks = 64;
#endif

} // namespace ddlsim
