package io.asynq4j.cli.output;

/** Output format of a command. */
public enum OutputFormat {
  /** Table for people. */
  TABLE,
  /** JSON with all data, for programs. */
  JSON,
  /** CSV with a header, for spreadsheets. */
  CSV
}
