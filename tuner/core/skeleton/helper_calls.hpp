#pragma once

#include "tuner/core/skeleton/host_expression.hpp"
#include "tuner/core/skeleton/plain_source.hpp"

namespace tuner {

/// The expression with what is called in it written out: macros of the source with parameters, and functions that only
/// return an expression. Other calls stay, and so do those that descriptions know.
HostExpression with_calls_written_out(const PlainSource& source, const HostExpression& expression);

}  // namespace tuner
