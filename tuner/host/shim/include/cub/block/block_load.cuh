#pragma once

#include "tuner/host/shim/cub.hpp"
