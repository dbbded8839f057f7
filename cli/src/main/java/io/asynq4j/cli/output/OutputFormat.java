package io.asynq4j.cli.output;

/** In what form a command shows what it has found. */
public enum OutputFormat {
  /** For people. */
  TABLE,
  /** For programs: a document with everything that is known. */
  JSON,
  /** For spreadsheets: a line of names, and a line for each row. */
  CSV
}
