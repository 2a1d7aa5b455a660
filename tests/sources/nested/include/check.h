#pragma once

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>

#define CHECK(call) check((call), #call)

inline void check(cudaError_t status, const std::string& call) {
  if (status == cudaSuccess) return;
  std::cerr << call << ": " << cudaGetErrorString(status) << std::endl;
  std::exit(1);
}
