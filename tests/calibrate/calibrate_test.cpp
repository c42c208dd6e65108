#include "calibrate/calibrate.hpp"
#include "sim/files/error.hpp"
#include "tests/calibrate/planted_cluster.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim;
using namespace ddlsim_test;
