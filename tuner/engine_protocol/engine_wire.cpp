#include "tuner/engine_protocol/engine_wire.hpp"

#include "tuner/engine_protocol/job_fields.hpp"
#include "tuner/process/record.hpp"

namespace tuner::service {
namespace {

template <typename Record>
Message numbered(const char* type, Ticket ticket, const Record& record) {
  RecordWriter writer;
  writer("ticket", ticket)("record", record);
  return std::move(writer).message(type);
}

}  // namespace

Ticket ticket_of(const Message& message) {
  return field_from<Ticket>(message, "ticket");
}

Message encode(Ticket ticket, const CompileJob& job) {
  return numbered(kCompile, ticket, job);
}
CompileJob decode_compile(const Message& message) {
  return field_from<CompileJob>(message, "record");
}

Message encode(Ticket ticket, const CompileAnswer& answer) {
  return numbered(kCompiled, ticket, answer);
}
CompileAnswer decode_compiled(const Message& message) {
  return field_from<CompileAnswer>(message, "record");
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
