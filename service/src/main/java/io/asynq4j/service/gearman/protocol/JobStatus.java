package io.asynq4j.service.gearman.protocol;

import io.asynq4j.TaskInfo.Progress;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The status of a job in gearman's form: any two numbers. Stored as progress of the task, with the
 * numbers as its note.
 */
public record JobStatus(String numerator, String denominator) {

  private static final Pattern NOTE = Pattern.compile("(\\d{1,20})/(\\d{1,20})");

  /** The status of a job that has reported none. */
  public static final JobStatus NONE = new JobStatus("0", "0");

  public static JobStatus of(Progress progress) {
    Matcher note = NOTE.matcher(progress.note());
    return note.matches()
        ? new JobStatus(note.group(1), note.group(2))
        : new JobStatus(Integer.toString(progress.percent()), "100");
  }

  /** The progress of the task. */
  public Progress progress() {
    String note = numerator + "/" + denominator;
    return new Progress(percent(), NOTE.matcher(note).matches() ? note : "");
  }

  private int percent() {
    try {
      double whole = Double.parseDouble(denominator);
      double share = whole > 0 ? 100 * Double.parseDouble(numerator) / whole : 0;
      return (int) Math.max(0, Math.min(100, share));
    } catch (NumberFormatException e) {
      return 0;
    }
  }
}
