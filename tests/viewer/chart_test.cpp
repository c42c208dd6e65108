#include "viewer/chart.hpp"

#include <catch2/catch.hpp>
