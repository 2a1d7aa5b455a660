#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cache/records/binary.hpp"
#include "cache/records/resource_facts.hpp"
#include "tuner/core/binary/cubin.hpp"
#include "tuner/engine/lanes/lane.hpp"
#include "tuner/ground/outcome.hpp"
#include "tuner/header.hpp"
#include "tuner/sources/recorded/compiler_words.hpp"

namespace tuner::engine {

/// A source whose program nvcc compiles, by what its user's own build ran. Never made of a description, a job or a
/// database.
struct NvccSource {
  sources::SourceOfBuild recorded;
  std::string version;  ///< of its compiler: "13.0.88"
  std::string toolkit;  ///< of CompileReply: the version, and what else decides the machine code
};

/// One program to compile: everything is text, so that a compile worker knows nothing of descriptions.
struct CompileRequest {
  std::string configuration;    ///< canonical text; empty for code that is no candidate. For messages and recordings
  std::string source;           ///< complete: prelude of `#define`s, `#line`, body
  std::string file_name;        ///< for messages
  std::string name_expression;  ///< kernel to look up: "prefetch" or "prefetch<128, float>"
  std::string architecture;     ///< "sm_90"
  std::vector<std::string> options;
  std::vector<Header> headers;
  std::vector<std::string> macros;  ///< that the prelude defines, in its order
  /// Only the lowered name is wanted: no machine code is made, where the compiler knows how to leave that out.
  bool front_end_only = false;
  bool keeps_ptx = false;  ///< PTX is wanted beside the machine code: it comes from the same run of the compiler
  std::optional<NvccSource> nvcc;  ///< compiled by this instead, without the headers here
};

/// What NVRTC declares to a source before its first line. Reading all of that is a tenth of a small kernel's compile.
enum class Builtins {
  /// All but textures, surfaces and the device runtime, for a source that includes no header of the toolkit (those ask
  /// which it is). One that does not compile so is compiled with everything. The binary is the same.
  small_first,
  all,
};

struct CompileReply {
  Outcome outcome = Outcome::ok;  ///< ok, compile_error, compile_timeout, compile_memory, worker_lost
  std::string message;  ///< one sentence for failures: the first error of the log, or what happened to the worker
  std::string log;      ///< complete compiler log
  cache::Cubin cubin;
  std::string ptx;  ///< where it was asked for
  std::vector<KernelParameter> parameters;
  cache::ResourceFacts facts;  ///< registers, stack, spills, static shared memory, binary hash
  std::string toolkit;         ///< NVRTC version, or NvccSource::toolkit
  double milliseconds = 0;     ///< time the worker was busy with it
};

using CompileLane = Lane<CompileRequest, CompileReply>;

}  // namespace tuner::engine
