#include "tuner/core/base/element_type.hpp"

#include <doctest/doctest.h>

#include "tests/core/support.hpp"

using namespace tuner;
using namespace tuner::test;

TEST_CASE("every spelling of a type means its element") {
  CHECK(shape_of_type("double")->element == ElementType::float64);
  CHECK(shape_of_type("int32_t")->element == ElementType::int32);
  CHECK(shape_of_type("unsigned long long int")->element == ElementType::uint64);
  CHECK(shape_of_type("long")->element == ElementType::int64);
  CHECK(shape_of_type("unsigned")->element == ElementType::uint32);
  CHECK(shape_of_type("signed char")->element == ElementType::int8);
  CHECK(shape_of_type("size_t")->element == ElementType::uint64);
  CHECK(shape_of_type("__nv_bfloat162")->element == ElementType::bfloat16);
  for (const char* wrong : {"", "int128", "float5", "double 2", "unsigned float", "short long", "void", "float*"}) {
    CAPTURE(wrong);
    CHECK_FALSE(shape_of_type(wrong));
  }
}

TEST_CASE("vector types have lanes") {
  CHECK(shape_of_type("float4")->lanes == 4);
  CHECK(shape_of_type("ushort3")->element == ElementType::uint16);
  CHECK(shape_of_type("longlong2")->element == ElementType::int64);
  CHECK(shape_of_type("half2")->lanes == 2);
  CHECK(shape_of_type("uchar")->lanes == 1);
}

TEST_CASE("a type has the size that expressions give it") {
  for (const std::string& name : type_names()) {
    CAPTURE(name);
    const auto shape = shape_of_type(name);
    REQUIRE(shape);
    const std::size_t size = search::size_of_type(name);
    const bool only_ours = name == "float16" || name == "float32" || name == "float64";
    if (!only_ours) CHECK(size == size_of(shape->element) * static_cast<std::size_t>(shape->lanes));
  }
}

TEST_CASE("element types are printed and read as themselves") {
  for (int i = 0; i <= static_cast<int>(ElementType::float64); ++i) {
    const auto type = static_cast<ElementType>(i);
    CHECK(shape_of_type(to_string(type))->element == type);
  }
}

TEST_CASE("integer types have their limits") {
  CHECK(least_value(ElementType::int8) == -128);
  CHECK(greatest_value(ElementType::int8) == 127);
  CHECK(greatest_value(ElementType::uint16) == 65535);
  CHECK(greatest_value(ElementType::boolean) == 1);
  CHECK(least_value(ElementType::uint64) == 0);
}
