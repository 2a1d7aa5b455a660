#pragma once

#include <cstdint>

#include "tuner/engine_protocol/jobs.hpp"
#include "tuner/process/channel.hpp"

namespace tuner::service {

/// What a program and its engine say to each other.
///
///     program → engine   compile   Ticketed<CompileJob>     any number at once
///                        tune      TuneJob                  one at a time
///     engine → program   compiled  Ticketed<CompileAnswer>  in any order
///                        tuned     TuneAnswer
inline constexpr const char* kCompile = "compile";
inline constexpr const char* kTune = "tune";
inline constexpr const char* kCompiled = "compiled";
inline constexpr const char* kTuned = "tuned";

using Ticket = std::uint64_t;
template <class Record>
struct Ticketed {
  Ticket ticket = 0;
  Record record;
};

/// What decodes throws Error{internal} naming the message that has another form than expected.
Message encode(Ticket ticket, const CompileJob& job);
Ticketed<CompileJob> decode_compile(const Message& message);
Message encode(Ticket ticket, const CompileAnswer& answer);
Ticketed<CompileAnswer> decode_compiled(const Message& message);

Message encode(const TuneJob& job);
TuneJob decode_tune(const Message& message);
Message encode(const TuneAnswer& answer);
TuneAnswer decode_tuned(const Message& message);

}  // namespace tuner::service
