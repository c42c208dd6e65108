// The one source with Catch2 itself.
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

int run_cases(int argc, char** argv) {
  return Catch::Session().run(argc, argv);
}
