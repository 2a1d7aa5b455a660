#include "cache/schema/schema_steps.hpp"

namespace tuner::cache {

// The texts have a table of their own: one source is that of many decisions, and finding a decision reads none of them.
const char* const kDecisionsStep5 = R"sql(
CREATE TABLE text (
  -- Long texts that belong to decisions, each once. None is ever changed or deleted.
  text_id INTEGER PRIMARY KEY,
  hash    TEXT NOT NULL,  -- XXH3-128 of text, hexadecimal: it finds a row, and the text is then compared
  text    TEXT NOT NULL
) STRICT;
CREATE INDEX text_by_hash ON text (hash);

CREATE TABLE decision_text (
  -- Which texts belong to a decision, and what they are.
  decision_id INTEGER NOT NULL REFERENCES decision ON DELETE CASCADE,
  kind        TEXT NOT NULL CHECK (kind IN ('source', 'header', 'samples', 'insight')),
  name        TEXT NOT NULL,  -- a file, as the description or the include has it; samples: the configuration
  text_id     INTEGER NOT NULL REFERENCES text,
  PRIMARY KEY (decision_id, kind, name)
) STRICT, WITHOUT ROWID;
)sql";

}  // namespace tuner::cache
