// Everything around a kernel, in one file: each would read the same headers.
#include "tuner/host/shim/block.cpp"
#include "tuner/host/shim/buffers.cpp"
#include "tuner/host/shim/copies.cpp"
#include "tuner/host/shim/fiber.cpp"
#include "tuner/host/shim/no_races.cpp"
#include "tuner/host/shim/plan.cpp"
#include "tuner/host/shim/runner.cpp"
#include "tuner/host/shim/time_limit.cpp"
