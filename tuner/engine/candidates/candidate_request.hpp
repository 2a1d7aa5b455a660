#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cache/store/binary_store.hpp"
#include "search/space/space.hpp"
#include "tuner/core/task/task.hpp"
#include "tuner/engine/compile/compile.hpp"
#include "tuner/engine/device/lane/device.hpp"

namespace tuner::engine {

/// What to compile for a configuration of the task. Throws Error{bad_description} for macros that cannot be computed.
CompileRequest compile_request(const Task& task, const search::Configuration& configuration);

/// One of DeviceLane::support_sources().
CompileRequest support_request(const std::string& source, const std::string& architecture);

/// What makes the arguments that are values, with the macros of `baseline`; nothing where there are none.
std::optional<CompileRequest> value_request(const Task& task, const search::Configuration& baseline);
/// Throws Error{bad_description} if the type of a value cannot be made of what is described for it.
void check_values(const CompileReply& reply);
/// Its binary. Throws likewise, and Error{baseline_failed} if the source does not compile.
std::vector<std::byte> value_cubin(CompileReply reply);

/// The kernel that the description names as reference: with the macros of `baseline` and its own. Throws likewise.
CompileRequest reference_request(const Task& task, const search::Configuration& baseline);
/// The same kernel, compiled, with its launch and what it takes. Throws Error{bad_description} for a launch that cannot
/// be computed.
Candidate reference_candidate(const Task& task, const search::Configuration& baseline, const CompileReply& binary);

/// A compiled kernel as the database keeps it; `key` as in binary_key.hpp.
cache::Binary binary_to_keep(const CompileReply& reply, const std::string& architecture, const std::string& key);

/// Whether both give the same binary.
bool same_program(const CompileRequest& a, const CompileRequest& b);

}  // namespace tuner::engine
