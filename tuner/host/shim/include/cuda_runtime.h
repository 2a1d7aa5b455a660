#pragma once

#include "tuner/host/shim/vector_types.hpp"
