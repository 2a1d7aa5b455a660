#include "tuner/core/signature/compiled_signature.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace tuner;

namespace {

/// The types that a kernel's mangled name has; "none" if it has none.
std::string types_of(const std::string& mangled) {
  const std::optional<Signature> signature = signature_from_kernel_name(mangled);
  if (!signature) return "none";
  std::string text;
  for (const ParameterType& parameter : signature->parameters) {
    text += (text.empty() ? "" : ", ") + parameter.text;
    if (parameter.form == ParameterType::Form::pointer) text += parameter.points_to_const ? " in" : " out";
    if (parameter.shape) text += " of " + std::string(to_string(parameter.shape->element));
  }
  return text;
}

}  // namespace

TEST_CASE("a kernel's own name has the types of its parameters") {
  CHECK(types_of("_Z4addsPiPKii") == "int* out of int32, const int* in of int32, int of int32");
  CHECK(types_of("_Z1kv").empty());
  CHECK(types_of("_ZN2ab1kEPdj") == "double* out of float64, unsigned int of uint32");
}

TEST_CASE("template arguments are put in, with commas and brackets of their own") {
  CHECK(types_of("_Z5scaleIfEvPT_i") == "float* out of float32, int of int32");
  CHECK(types_of("_Z1kILi4E4PairIifEEvPT0_PKf") == "Pair<int, float>* out, const float* in of float32");
  CHECK(types_of("_Z1kIiZ4mainEUliE_EvPT_T0_") == "int* out of int32, main::{lambda(int)#1}");
}

TEST_CASE("const and volatile in front of what is pointed to are no part of the element") {
  CHECK(types_of("_Z1kPVKf") == "const float* in of float32");
  CHECK(types_of("_Z1kPVd") == "double* out of float64");
  CHECK(types_of("_Z1kPK6__half") == "const __half* in of float16");
}

TEST_CASE("pointers to pointers and to functions have no element, and pointers to rows that of the row") {
  CHECK(types_of("_Z1kPPf") == "float** out");
  CHECK(types_of("_Z1kPKPf") == "const float** in");
  CHECK(types_of("_Z1kPA4_f") == "float* out of float32");
  CHECK(types_of("_Z1kPA4_A8_Kd") == "const double* in of float64");
  CHECK(types_of("_Z1kPFviE").find(" of ") == std::string::npos);
}

TEST_CASE("structures, vectors and references are parameters as others are") {
  CHECK(types_of("_Z1k4ArgsPS_") == "Args, Args* out");
  CHECK(types_of("_Z1kP6float4i") == "float4* out of float32, int of int32");
  CHECK(signature_from_kernel_name("_Z1kRif")->parameters.size() == 2);
}

TEST_CASE("names of C, and what is no name of a function, have no types") {
  for (const char* const name : {"plain", "", "_Z", "_Z1", "_ZTS4Args", "_Z4data", "scale(float*)"}) {
    CAPTURE(name);
    CHECK(types_of(name) == "none");
  }
}
