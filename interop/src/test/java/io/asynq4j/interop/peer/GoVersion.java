package io.asynq4j.interop.peer;

import java.util.List;

/** The versions of asynq that the peer is built with. */
public enum GoVersion {
  /** The newest release. */
  RELEASED("asynq 0.26", "go.mod", ""),
  /** What asynqmon is built on. */
  OLD("asynq 0.24.1", "v0.24.1.mod", "asynq024"),
  /** The newest commit, where the module proxy gives it. */
  NEWEST_COMMIT("the newest commit of asynq", "newest.mod", "asynqmaster");

  private final String title;
  private final String modFile;
  private final String tags;

  GoVersion(String title, String modFile, String tags) {
    this.title = title;
    this.modFile = modFile;
    this.tags = tags;
  }

  /** Name of its module file. */
  String modFile() {
    return modFile;
  }

  List<String> tags() {
    return tags.isEmpty() ? List.of() : List.of("-tags", tags);
  }

  public boolean knowsHeaders() {
    return this != OLD;
  }

  public boolean updatesPayloads() {
    return this != OLD;
  }

  public boolean revokes() {
    return this != OLD;
  }

  /** Whether it can enqueue many tasks in one call. */
  public boolean batches() {
    return this == NEWEST_COMMIT;
  }

  /** What is beyond the limits of an archive; the old one takes it off the list and leaves it. */
  public boolean deletesWhatItTrims() {
    return this != OLD;
  }

  @Override
  public String toString() {
    return title;
  }
}
