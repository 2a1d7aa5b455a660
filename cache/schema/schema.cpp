#include "cache/schema/schema.hpp"

#include <array>

#include "cache/schema/schema_steps.hpp"

namespace tuner::cache {
namespace {

// See schema_steps.hpp for how these are written.

constexpr const char* kDecisionsStep3 = R"sql(
-- An application that finds no decision for its size asks for every size of the kernel.
CREATE INDEX task_by_kernel ON task (kernel_identity, mode, objective);
)sql";

constexpr const char* kDecisionsStep9 = R"sql(
INSERT INTO outcome VALUES (13, 'compile_memory');
)sql";

constexpr const char* kDecisionsStep10 = R"sql(
ALTER TABLE trial ADD COLUMN
  result_cost_ms REAL  /* what a result costs the session, where this trial settled it; NULL otherwise */;
)sql";

constexpr const char* kBinaries1 = R"sql(
CREATE TABLE binary (
  -- A compiled binary. The least recently used ones are deleted when the file grows beyond its limit, pinned ones last.
  binary_id         INTEGER PRIMARY KEY,
  hash              TEXT NOT NULL UNIQUE,  -- XXH3-128 of bytes, hexadecimal; compared whenever the bytes are read
  architecture      TEXT NOT NULL,         -- sm_90
  kernel            TEXT NOT NULL,         -- the kernel's symbol in the binary
  keep              INTEGER NOT NULL CHECK (keep IN (0, 1)),  -- 0 while there is room, 1 pinned (winners, baselines)
  last_used_unix_ms INTEGER NOT NULL,      -- milliseconds since 1970-01-01 UTC, kept roughly
  byte_count        INTEGER NOT NULL,
  bytes             BLOB NOT NULL          -- the last column, so that listing does not read it
) STRICT;

CREATE TABLE build (
  -- What was compiled, and how. Several builds may end in the same binary.
  build_id     INTEGER PRIMARY KEY,
  binary_id    INTEGER NOT NULL REFERENCES binary ON DELETE CASCADE,
  key_hash     TEXT NOT NULL,     -- XXH3-128 of key_text, hexadecimal
  key_text     TEXT NOT NULL,     -- everything that the binary depends on; compared on every hit
  resource_log TEXT NOT NULL,     -- what the compiler said about registers, stack and spills
  byte_count   INTEGER NOT NULL,  -- of key_text and resource_log
  UNIQUE (key_hash, key_text)
) STRICT;
CREATE INDEX build_by_binary ON build (binary_id);
)sql";

// The hash of the bytes says nothing of what they are the binary of, so each build has a sum over all that ties it to
// them. The symbol moves to the build: several kernels of one source may be compiled to the same bytes. Where that has
// happened, the symbol of all but one was lost, and they are compiled again.
constexpr const char* kBinaries2 = R"sql(
DELETE FROM build WHERE binary_id IN (
  SELECT binary_id FROM build GROUP BY binary_id
  HAVING count(DISTINCT substr(key_text, 1, instr(key_text, '|architecture='))) > 1);
ALTER TABLE build ADD COLUMN kernel TEXT NOT NULL DEFAULT '';
ALTER TABLE build ADD COLUMN checksum TEXT NOT NULL DEFAULT '';
UPDATE build SET
  kernel = (SELECT binary.kernel FROM binary WHERE binary.binary_id = build.binary_id),
  checksum = (SELECT build_checksum(key_text, resource_log, binary.kernel, architecture, hash) FROM binary
              WHERE binary.binary_id = build.binary_id)
WHERE EXISTS (SELECT 1 FROM binary WHERE binary.binary_id = build.binary_id);
)sql";

// A file that may not be written has no sums, and says so in words that no flipped bit can make of one: BinaryStore
// takes from it what a decision names by its hash.
constexpr const char* kBinaries1Seen = R"sql(
CREATE TEMP VIEW build AS
  SELECT build_id, binary_id, key_hash, key_text, resource_log, build.byte_count, binary.kernel, 'format 1' AS checksum
  FROM main.build AS build JOIN main.binary AS binary USING (binary_id)
  WHERE (SELECT count(DISTINCT substr(same.key_text, 1, instr(same.key_text, '|architecture=')))
         FROM main.build AS same WHERE same.binary_id = build.binary_id) = 1;
)sql";

// What programs start from; derived from decisions.db, so that deleting it loses nothing. One table without an index or
// a comment, because a start reads the whole schema. served_id: from the hash of source and place (problem, device and
// mode), so that a row is found without a statement. source_id: the row that says what the source is. decision_id: its
// mark, empty in that one; text can be read like the row. row: XXH3-128 of what follows; then the texts that were
// hashed, which decide, and what a launch needs. They begin with the number of their layout: programs find no rows that
// mean something else.
constexpr const char* kServed1 = R"sql(
CREATE TABLE served (
  served_id INTEGER PRIMARY KEY, source_id INTEGER NOT NULL, decision_id TEXT NOT NULL, row BLOB NOT NULL) STRICT;
)sql";

// In a file of its own, so that a program that writes it never keeps another one from a decision.
constexpr const char* kWanted1 = R"sql(
CREATE TABLE text (
  -- Sources and headers, each once.
  text_id    INTEGER PRIMARY KEY,
  hash       TEXT NOT NULL,  -- XXH3-128 of text, hexadecimal: it finds a row, and the text is then compared
  byte_count INTEGER NOT NULL,
  text       TEXT NOT NULL
) STRICT;
CREATE INDEX text_by_hash ON text (hash);

CREATE TABLE source_text (
  -- What a kernel is tuned from.
  source   TEXT NOT NULL,     -- XXH3-128 of all names and texts of it
  position INTEGER NOT NULL,  -- 0 the kernel's file; its headers from 1
  name     TEXT NOT NULL,     -- of the file; of a header as the include has it
  text_id  INTEGER NOT NULL REFERENCES text,
  PRIMARY KEY (source, position)
) STRICT, WITHOUT ROWID;

CREATE TABLE wanted (
  -- A problem for which programs found no decision. The parts of the key are those of `task` in decisions.db.
  wanted_id       INTEGER PRIMARY KEY,
  kernel_name     TEXT NOT NULL,
  kernel_identity TEXT NOT NULL,
  problem         TEXT NOT NULL,
  device          TEXT NOT NULL,
  mode            TEXT NOT NULL,
  objective       TEXT NOT NULL,
  source          TEXT NOT NULL,     -- in source_text; empty: not kept
  rung            TEXT NOT NULL,     -- what served it instead: near size, other device, baseline, fallback, unrunnable
  configuration   TEXT NOT NULL,     -- that was launched; empty: none
  time_ns         REAL,              -- that this was expected to take; NULL: unknown
  requested       INTEGER NOT NULL,  -- first requests, at most one a program and GPU context
  launched        INTEGER NOT NULL,
  first_unix_ms   INTEGER NOT NULL,
  last_unix_ms    INTEGER NOT NULL,
  trouble         TEXT NOT NULL,     -- why it could not be tuned; empty: that was not tried
  UNIQUE (kernel_identity, problem, device, mode, objective, kernel_name)
) STRICT;
)sql";

constexpr std::array kWantedSteps{kWanted1};
constexpr std::array kServedSteps{kServed1};
constexpr std::array kBinarySteps{kBinaries1, kBinaries2};
constexpr std::array kBinaryViews{kBinaries1Seen};

}  // namespace

const Format& decisions_format() {
  static const std::array steps{kDecisionsStep1, kDecisionsStep2, kDecisionsStep3, kDecisionsStep4, kDecisionsStep5,
                                kDecisionsStep6, kDecisionsStep7, kDecisionsStep8, kDecisionsStep9, kDecisionsStep10};
  static const Format format{"tuning results", 0x54554e52 /* TUNR */, steps};
  return format;
}

const Format& binaries_format() {
  static constexpr Format format{"compiled binaries", 0x54554e42 /* TUNB */, kBinarySteps, kBinaryViews};
  return format;
}

const Format& served_format() {
  static constexpr Format format{"what programs start from", 0x54554e53 /* TUNS */, kServedSteps};
  return format;
}

const Format& wanted_format() {
  static constexpr Format format{"what programs missed", 0x54554e57 /* TUNW */, kWantedSteps};
  return format;
}

}  // namespace tuner::cache
