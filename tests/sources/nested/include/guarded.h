#ifndef GUARDED_H
#define GUARDED_H
#ifdef __CUDACC_RTC__
typedef int guarded_type;
#else
#include <vector>
#include "no_such_header.h"
typedef std::vector<int> guarded_type;
#endif
#endif
