// What the program that looks for races has besides.
#include "tuner/host/shim/clocks.cpp"
#include "tuner/host/shim/races.cpp"
