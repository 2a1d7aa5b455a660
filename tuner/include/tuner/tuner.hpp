#pragma once

/// Everything a program needs:
///
///     tuner::Runtime runtime;
///     auto kernel = runtime.kernel(tuner::Description::from_file("prefetch.cu"));
///     const tuner::Instance& tuned = kernel.request({528, 65536});
///     tuned.launch(stream, values, sums, 65536);
#include "tuner/buffer.hpp"
#include "tuner/description.hpp"
#include "tuner/description_builder.hpp"
#include "tuner/effort.hpp"
#include "tuner/error.hpp"
#include "tuner/instance.hpp"
#include "tuner/runtime.hpp"
#include "tuner/version.hpp"
