#include "tuner/sources/device_compile/file_local_name.hpp"

#include <doctest/doctest.h>

#include <string>

using tuner::sources::without_file;

TEST_CASE("names of one source in two folders are equal without the file") {
  CHECK_EQ(without_file("_ZN36_GLOBAL__N__6c586a6e_4_k_cu_acc5a52f4anonEPf"),
           without_file("_ZN36_GLOBAL__N__0ea3ded6_4_k_cu_acc5a52f4anonEPf"));
  CHECK_EQ(without_file("_ZN36_GLOBAL__N__6c586a6e_4_k_cu_acc5a52f4anonEPf"), "_ZN12_GLOBAL__N_14anonEPf");
  CHECK_EQ(without_file("_Z4withIN36_GLOBAL__N__6c586a6e_4_k_cu_acc5a52f1FEEvPfT_"),
           "_Z4withIN12_GLOBAL__N_11FEEvPfT_");
}

TEST_CASE("a static kernel of relocatable code has its own name again") {
  CHECK_EQ(without_file("__nv_static_25__4149727b_4_r_cu__Z4nearf__Z4statPf"), "_Z4statPf");
  CHECK_EQ(without_file("__nv_static_25__4149727b_4_r_cu__Z4nearf__ZN36_GLOBAL__N__4149727b_4_r_cu__Z4nearf4anonEPf"),
           "_ZN12_GLOBAL__N_14anonEPf");
  CHECK_EQ(without_file("_ZN34_INTERNAL_4149727b_4_r_cu__Z4nearf36_GLOBAL__N__4149727b_4_r_cu__Z4nearf5otherE"),
           "_ZN12_GLOBAL__N_15otherE");
}

TEST_CASE("the digits of a name in front are not the length's") {
  CHECK_EQ(without_file("_ZN4foo136_GLOBAL__N__6c586a6e_4_k_cu_acc5a52f1kEv"), "_ZN4foo112_GLOBAL__N_11kEv");
}

TEST_CASE("names that only look like that stay as they are") {
  for (const char* name :
       {"_Z5plainPf", "", "_GLOBAL__N_", "_ZN99_GLOBAL__N__6c5", "_ZN0_GLOBAL__N__6c", "__nv_static_", "__nv_static_5",
        "__nv_static_5_abcde", "__nv_static_99999999999999999999_a_b", "99999999999999999999999_GLOBAL__N_"})
    CHECK_EQ(without_file(name), name);
}
