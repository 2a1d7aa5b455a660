#pragma once

#include <string>
#include <vector>

#include "tuner/core/signature/signature.hpp"
#include "tuner/core/task/task.hpp"

namespace tuner {

/// Looks up in the source and in `headers` what the description says of them: the kernel, the reference kernel, arrays
/// in constant memory, and the types of what these are given. Throws Error{bad_description} with every mistake that the
/// text alone shows, and the line of each. True if the text leaves nothing for a compiler to tell. Milliseconds for a
/// source of megabytes; no program that only asks for a decision comes here.
bool check_written_signatures(const KernelDescription& description, const std::vector<Header>& headers);

/// The same for one call and what a compiler says of the function (compiled_signature.hpp), with the types that the
/// arguments have for a problem.
void check_compiled_signature(const Task& task, const DescribedCall& call, const Signature& compiled);

/// Of a kernel that fails: " kernel.cu:12 waits for the whole grid, which …"; empty if the text of its source has no
/// such barrier.
std::string grid_barrier_text(const KernelDescription& description, const std::vector<Header>& headers);
/// The same of one whose machine code has such a barrier with this configuration, whatever the text says.
std::string grid_barrier_text(const KernelDescription& description, const std::vector<Header>& headers,
                              const std::string& configuration);

/// "kernel.cu:7 waits in a loop for other threads: …"; empty if the text of its source has no such loop.
std::string waiting_loop_text(const KernelDescription& description, const std::vector<Header>& headers);

/// The message of mistakes in a description: file, line and column, the line itself, and what is wrong there.
std::string mistake_text(const KernelDescription& description, const DescribedCall& call,
                         const std::vector<SignatureMistake>& mistakes);

}  // namespace tuner
