#pragma once

#include <span>

namespace tuner::engine {

/// Where another program is at work on the GPU, the two take turns of about two milliseconds, and a sample that the
/// other's turn falls into is longer by all of it. That happens the more often the longer the kernel is. So many
/// samples are enough that hardly ever (1 in 200) all were interrupted; kernels longer than a turn always are, all by
/// about as many turns. Between 2 and 6.
int samples_against_interruptions(double time_ns);

/// What is left of several samples of the same when the interrupted ones do not count: the shortest. There must be one.
double uninterrupted_ns(std::span<const double> samples_ns);

}  // namespace tuner::engine
