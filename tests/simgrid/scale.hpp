#pragma once
// How large the full simulations of the tests are, and how close to them others are promised to be.

namespace ddlsim {

/// The promise of the project for an ideal network, and for reduced against full, step by step.
constexpr double promised = 1e-6;

#if defined(__SANITIZE_ADDRESS__)
/// Sanitizer builds switch actors by threads, 60 x slower; messages grow as ranks^2, so ranks are cut to an eighth.
constexpr int most_ranks = 8;
#else
constexpr int most_ranks = 64;
#endif

} // namespace ddlsim
