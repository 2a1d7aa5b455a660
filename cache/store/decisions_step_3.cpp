#include "cache/store/schema_steps.hpp"

namespace tuner::cache {

const char* const kDecisionsStep3 = R"sql(
-- An application that finds no decision for its size asks for every size of the kernel.
CREATE INDEX task_by_kernel ON task (kernel_identity, mode, objective);
)sql";

}  // namespace tuner::cache
