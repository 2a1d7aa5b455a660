#include "cache/store/schema.hpp"

#include <array>

#include "cache/store/schema_steps.hpp"

namespace tuner::cache {
namespace {

// See schema_steps.hpp for how these are written.

constexpr const char* kDecisionsStep3 = R"sql(
-- An application that finds no decision for its size asks for every size of the kernel.
CREATE INDEX task_by_kernel ON task (kernel_identity, mode, objective);
)sql";

constexpr const char* kDecisionsStep4 = R"sql(
CREATE TABLE source (
  -- An annotated source that was read without a mistake.
  source_id INTEGER PRIMARY KEY,
  key_hash  TEXT NOT NULL,  -- XXH3-128 of key_text, hexadecimal
  key_text  TEXT NOT NULL,  -- hashes of its whole text and of its headers, and the version that read it
  outline   TEXT NOT NULL,  -- name and problem properties of its kernel, for the program
  checksum  TEXT NOT NULL,  -- XXH3-128 of all of the row
  UNIQUE (key_hash, key_text)
) STRICT;

CREATE TABLE served (
  -- What a program launches that starts with this source: derived from the decision, deleted with whatever changes what
  -- is served, and written again when it is missing. Deleting all rows loses nothing.
  served_id   INTEGER PRIMARY KEY,
  source_id   INTEGER NOT NULL REFERENCES source ON DELETE CASCADE,
  place       TEXT NOT NULL,     -- problem, device and timing mode
  decision_id INTEGER NOT NULL REFERENCES decision ON DELETE CASCADE,
  launch      TEXT NOT NULL,     -- the decision, and arguments, grid and block of its launch, for the program
  checksum    TEXT NOT NULL,     -- XXH3-128 of all of the row and of its source
  binary      BLOB NOT NULL,     -- the compiled winner; the last column, so that listing does not read it
  UNIQUE (source_id, place)
) STRICT;
CREATE INDEX served_by_decision ON served (decision_id);
)sql";
constexpr const char* kDecisions3Seen = R"sql(
CREATE TEMP VIEW source AS
  SELECT 0 AS source_id, '' AS key_hash, '' AS key_text, '' AS outline, '' AS checksum WHERE 0;
CREATE TEMP VIEW served AS
  SELECT 0 AS served_id, 0 AS source_id, '' AS place, 0 AS decision_id, '' AS launch, '' AS checksum, x'' AS binary
  WHERE 0;
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

constexpr std::array kBinarySteps{kBinaries1, kBinaries2};
constexpr std::array kBinaryViews{kBinaries1Seen};

}  // namespace

const Format& decisions_format() {
  static const std::array steps{kDecisionsStep1, kDecisionsStep2, kDecisionsStep3, kDecisionsStep4};
  static constexpr std::array<const char*, 3> kViews{nullptr, nullptr, kDecisions3Seen};
  static const Format format{"tuning results", 0x54554e52 /* TUNR */, steps, kViews};
  return format;
}

const Format& binaries_format() {
  static constexpr Format format{"compiled binaries", 0x54554e42 /* TUNB */, kBinarySteps, kBinaryViews};
  return format;
}

}  // namespace tuner::cache
