#pragma once

namespace tuner::cache {

// The long steps of decisions.db, one a version of its format; one that was released is never edited. Short ones are in
// schema.cpp. SQLite keeps the text of each CREATE statement, comments included: `.schema` shows a user what is written
// here. A name ends in its unit. Missing facts are NULL; empty text means "none". No JSON functions: SQLite 3.40
// refuses them in the schema of a connection that does not trust its schema, as ours do not.

/// Trials and decisions.
extern const char* const kDecisionsStep1;
/// Quarantine, forgetting, and what a decision was verified at and disturbed by.
extern const char* const kDecisionsStep2;
/// How thoroughly the space of a decision was searched.
extern const char* const kDecisionsStep4;
/// Long texts that belong to decisions: sources, samples of races, and what was found about them.
extern const char* const kDecisionsStep5;
/// A further kind of them: what is known of a kernel over all its problems.
extern const char* const kDecisionsStep6;
/// Which GPU ran a trial.
extern const char* const kDecisionsStep7;
/// A view of what is known of a kernel over all its problems.
extern const char* const kDecisionsStep8;

}  // namespace tuner::cache
