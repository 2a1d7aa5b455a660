#include "cache/schema/schema_steps.hpp"

namespace tuner::cache {

// A table's CHECK cannot be changed, so it is built anew; nothing refers to it.
const char* const kDecisionsStep6 = R"sql(
CREATE TABLE decision_text_of_more_kinds (
  -- Which texts belong to a decision, and what they are.
  decision_id INTEGER NOT NULL REFERENCES decision ON DELETE CASCADE,
  kind        TEXT NOT NULL CHECK (kind IN ('source', 'header', 'samples', 'insight', 'sizes')),
  name        TEXT NOT NULL,  -- a file, as the description or the include has it; samples: the configuration
  text_id     INTEGER NOT NULL REFERENCES text,
  PRIMARY KEY (decision_id, kind, name)
) STRICT, WITHOUT ROWID;
INSERT INTO decision_text_of_more_kinds SELECT decision_id, kind, name, text_id FROM decision_text;
DROP TABLE decision_text;
ALTER TABLE decision_text_of_more_kinds RENAME TO decision_text;
-- What is known of a kernel over all its problems belongs to the newest decision that it was made from. Programs look
-- for it when they ask for a size that was never tuned.
CREATE INDEX decision_text_sizes ON decision_text (decision_id) WHERE kind = 'sizes';
)sql";

}  // namespace tuner::cache
