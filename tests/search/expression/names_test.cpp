#include <doctest/doctest.h>

#include "search/expression/expression.hpp"

namespace tuner::search {
namespace {

TEST_CASE("the nearest name is a likely misspelling") {
  const std::vector<std::string> names{"BLOCKDIMX", "BLOCKDIMY", "PDIST", "STRATEGY", "x", "none"};
  CHECK(nearest_name("BLOCKDIMX", names) == "BLOCKDIMX");
  CHECK(nearest_name("BLOKDIMX", names) == "BLOCKDIMX");
  CHECK(nearest_name("BLOCKDIYM", names) == "BLOCKDIMY");
  CHECK(nearest_name("blockdimy", names) == "BLOCKDIMY");
  CHECK(nearest_name("PDITS", names) == "PDIST");
  CHECK(nearest_name("non", names) == "none");
  CHECK(nearest_name("X", names) == "x");
}

TEST_CASE("a name that is far from all others has no nearest") {
  const std::vector<std::string> names{"BLOCKDIMX", "PDIST", "x"};
  CHECK(nearest_name("y", names).empty());
  CHECK(nearest_name("DISTANCE", names).empty());
  CHECK(nearest_name("", names).empty());
  CHECK(nearest_name(std::string(100000, 'a'), names).empty());
  CHECK(nearest_name("anything", {}).empty());
}

TEST_CASE("element types have the sizes of CUDA C++") {
  struct {
    const char* type;
    std::size_t size;
  } const types[] = {
      {"float", 4},     {"double", 8},      {"half", 2},          {"__half", 2},   {"__half2", 4},
      {"bool", 1},      {"int", 4},         {"int8", 1},          {"int16_t", 2},  {"int32", 4},
      {"int64_t", 8},   {"uint8_t", 1},     {"uint32", 4},        {"uint64_t", 8}, {"size_t", 8},
      {"char", 1},      {"signed char", 1}, {"unsigned", 4},      {"short", 2},    {"unsigned short", 2},
      {"long long", 8}, {"long", 8},        {"unsigned long", 8}, {"uint", 4},     {"float2", 8},
      {"float3", 12},   {"float4", 16},     {"double2", 16},      {"int4", 16},    {"uchar4", 4},
      {"char3", 3},     {"ulonglong2", 16}, {"__nv_bfloat16", 2}, {"ushort2", 4},  {"int1", 4},
      {"long int", 8},
  };
  for (const auto& entry : types) {
    CAPTURE(entry.type);
    CHECK(size_of_type(entry.type) == entry.size);
  }
}

TEST_CASE("what is not an element type has no size") {
  for (const char* type : {"", "4", "none", "float5", "float0", "int128", "int33", "long long long", "short long",
                           "unsigned float", "float int", "bool2", "unsigned unsigned", "int int", "_t", "u"}) {
    CAPTURE(type);
    CHECK(size_of_type(type) == 0);
  }
}

}  // namespace
}  // namespace tuner::search
