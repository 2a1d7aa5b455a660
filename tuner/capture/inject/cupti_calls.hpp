#pragma once

#include <cupti.h>

#include <optional>
#include <string>

namespace tuner::capture {

/// Every function of CUPTI that is called: member, exported name.
#define TUNER_CAPTURE_CUPTI(X)                        \
  X(result_string, cuptiGetResultString)              \
  X(subscribe, cuptiSubscribe)                        \
  X(enable_callback, cuptiEnableCallback)             \
  X(callback_name, cuptiGetCallbackName)              \
  X(timestamp, cuptiGetTimestamp)                     \
  X(register_buffers, cuptiActivityRegisterCallbacks) \
  X(enable, cuptiActivityEnable)                      \
  X(flush, cuptiActivityFlushAll)                     \
  X(next_record, cuptiActivityGetNextRecord)          \
  X(dropped_records, cuptiActivityGetNumDroppedRecords)

struct CuptiCalls {
#define TUNER_CAPTURE_MEMBER(member, name) decltype(&::name) member = nullptr;
  TUNER_CAPTURE_CUPTI(TUNER_CAPTURE_MEMBER)
#undef TUNER_CAPTURE_MEMBER
};

/// CUPTI from the first of the files named in the environment that has it; nothing, and `why`, a sentence, if none has.
std::optional<CuptiCalls> open_cupti(std::string& why);

/// The sentence for a program in which CUPTI said `result`.
std::string refusal_of(const CuptiCalls& cupti, CUptiResult result);

}  // namespace tuner::capture
