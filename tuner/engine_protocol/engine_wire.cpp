#include "tuner/engine_protocol/engine_wire.hpp"

#include "tuner/engine_protocol/job_fields.hpp"
#include "tuner/process/record.hpp"

namespace tuner::service {

template <class Record>
void describe(auto& fields, Ticketed<Record>& ticketed) {
  auto& [ticket, record] = ticketed;
  fields("ticket", ticket)("record", record);
}

Message encode(Ticket ticket, const CompileJob& job) {
  return to_message(kCompile, Ticketed<CompileJob>{ticket, job});
}
Ticketed<CompileJob> decode_compile(const Message& message) {
  return from_message<Ticketed<CompileJob>>(message);
}

Message encode(Ticket ticket, const CompileAnswer& answer) {
  return to_message(kCompiled, Ticketed<CompileAnswer>{ticket, answer});
}
Ticketed<CompileAnswer> decode_compiled(const Message& message) {
  return from_message<Ticketed<CompileAnswer>>(message);
}

Message encode(const TuneJob& job) {
  return to_message(kTune, job);
}
TuneJob decode_tune(const Message& message) {
  return from_message<TuneJob>(message);
}

Message encode(const TuneAnswer& answer) {
  return to_message(kTuned, answer);
}
TuneAnswer decode_tuned(const Message& message) {
  return from_message<TuneAnswer>(message);
}

}  // namespace tuner::service
