package io.asynq4j.internal.redis.store.inspect;

import io.asynq4j.QueueName;
import io.asynq4j.inspect.FindingKind;
import io.asynq4j.internal.broker.BatchSplitter;
import io.asynq4j.internal.broker.TaskMessage;
import io.asynq4j.internal.broker.inspect.Diagnostics.FindingDetail;
import io.asynq4j.internal.broker.inspect.Diagnostics.RepairResult;
import io.asynq4j.internal.broker.inspect.Diagnostics.Subject;
import io.asynq4j.internal.redis.codec.MessageCodec;
import io.asynq4j.internal.redis.codec.UnreadableMessageException;
import io.asynq4j.internal.redis.command.CommandArgs;
import io.asynq4j.internal.redis.command.ReplyParser;
import io.asynq4j.internal.redis.script.Script;
import io.asynq4j.internal.redis.script.ScriptRunner;
import io.asynq4j.internal.time.TimeMath;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Examines and repairs the tasks of a queue, many per call. Thread-safe. */
record TaskDiagnostics(ScriptRunner scripts) {

  /** What the script returns instead of a finding when it postponed a task. */
  private static final String LATER = "!later";

  private static final String FAR = "!far";
  private static final String DONE = "!done";

  private static final Repair NONE = new Repair("", "", "", "", "");

  /** Expects no specific finding but wants a close examination. */
  private static final Repair CLOSELY = new Repair("?", "", "", "", "");

  /**
   * Input of the script for a repair.
   *
   * @param score the position in the container, if the message determines it
   * @param reason why the task is archived, or empty
   * @param digest digest of an unreadable message
   */
  private record Repair(
      String expected, String score, String group, String reason, String digest) {}

  /**
   * The reply of one call for a task.
   *
   * @param text the finding, or what happened instead
   * @param message the stored message if the script has read it
   */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Answer(String text, byte[] message) {

    @Nullable FindingDetail finding(QueueName queue, String id) {
      if (!text.isEmpty()) {
        String[] words = text.split(" ", 2);
        FindingKind kind = FindingKind.valueOf(words[0].toUpperCase(Locale.ROOT));
        return new FindingDetail(kind, 1, words.length == 1 ? "" : words[1]);
      }
      try {
        if (message.length > 0) {
          MessageCodec.decode(message, queue, id);
        }
        return null;
      } catch (UnreadableMessageException e) {
        return new FindingDetail(FindingKind.UNREADABLE, 1, Script.sha1(message));
      }
    }
  }

  List<@Nullable FindingDetail> examine(QueueName queue, List<Subject> tasks, boolean closely) {
    List<Answer> answers = look(queue, tasks, closely);
    List<@Nullable FindingDetail> findings = new ArrayList<>(tasks.size());
    for (int i = 0; i < tasks.size(); i++) {
      findings.add(answers.get(i).finding(queue, tasks.get(i).name()));
    }
    return findings;
  }

  private List<Answer> look(QueueName queue, List<Subject> tasks, boolean closely) {
    List<Repair> none = Collections.nCopies(tasks.size(), closely ? CLOSELY : NONE);
    return ask(queue, tasks, none, /* repair= */ false, /* removeUnreadable= */ false);
  }

  /** Repairs tasks whose finding is unchanged. */
  List<RepairResult> repair(
      QueueName queue,
      List<Subject> tasks,
      List<FindingDetail> findings,
      boolean removeUnreadable) {
    List<Answer> now = look(queue, tasks, /* closely= */ true);
    RepairResult[] results = new RepairResult[tasks.size()];
    Arrays.fill(results, RepairResult.CHANGED);
    List<Integer> same = new ArrayList<>();
    List<Subject> toRepair = new ArrayList<>();
    List<Repair> repairs = new ArrayList<>();
    for (int i = 0; i < tasks.size(); i++) {
      String id = tasks.get(i).name();
      FindingDetail finding = findings.get(i);
      if (finding.equals(now.get(i).finding(queue, id))) {
        same.add(i);
        toRepair.add(tasks.get(i));
        repairs.add(repairOf(queue, id, finding, now.get(i).message()));
      }
    }
    List<Answer> answers = ask(queue, toRepair, repairs, /* repair= */ true, removeUnreadable);
    for (int i = 0; i < same.size(); i++) {
      String answer = answers.get(i).text();
      if (answer.equals(DONE) || answer.equals(FAR)) {
        results[same.get(i)] = answer.equals(DONE) ? RepairResult.DONE : RepairResult.OUT_OF_REACH;
      }
    }
    return List.of(results);
  }

  private static Repair repairOf(
      QueueName queue, String id, FindingDetail finding, byte[] message) {
    String word = finding.kind().name().toLowerCase(Locale.ROOT);
    boolean bare = finding.detail().isEmpty() && !hasDetail(finding.kind());
    String expected = bare ? word : word + " " + finding.detail();
    String state = finding.detail().split(" ", 2)[0];
    if (message.length == 0) {
      return new Repair(expected, "", "", reason(state), "");
    }
    try {
      TaskMessage task = MessageCodec.decode(message, queue, id);
      return new Repair(expected, score(task, state), task.group(), reason(state), "");
    } catch (UnreadableMessageException e) {
      String reason = MessageCodec.errorText(String.valueOf(e.getMessage()));
      return new Repair(expected, "", "", reason, Script.sha1(message));
    }
  }

  /** Returns whether the script returns a detail after the kind, even an empty one. */
  private static boolean hasDetail(FindingKind kind) {
    return kind != FindingKind.RECORD_WITHOUT_MESSAGE && kind != FindingKind.ACTIVE_WITHOUT_LEASE;
  }

  /** Returns the score of the task in its container, as far as its message determines it. */
  private static String score(TaskMessage task, String state) {
    Instant completed = task.completedAt();
    Instant failed = task.lastFailedAt();
    if (state.equals("completed") && completed != null) {
      return Long.toString(TimeMath.plus(completed, task.retention()).getEpochSecond());
    }
    return state.equals("archived") && failed != null ? Long.toString(failed.getEpochSecond()) : "";
  }

  private static String reason(String state) {
    String unknown =
        switch (state) {
          case "scheduled" -> "its due time";
          case "aggregating" -> "its group";
          default -> "its state";
        };
    return "the doctor found the task in no container, and " + unknown + " is no longer known";
  }

  /** Requests all tasks, and repeats the request for those that a call postponed. */
  private List<Answer> ask(
      QueueName queue,
      List<Subject> tasks,
      List<Repair> repairs,
      boolean repair,
      boolean removeUnreadable) {
    List<Answer> answers = new ArrayList<>(tasks.size());
    while (answers.size() < tasks.size()) {
      int from = answers.size();
      int to = Math.min(from + BatchSplitter.MAX, tasks.size());
      CommandArgs args = new CommandArgs(3 + (to - from) * 10).add(repair).add(!repair);
      args.add(removeUnreadable);
      for (int i = from; i < to; i++) {
        add(args, tasks.get(i), repairs.get(i));
      }
      List<@Nullable Object> reply = scripts.runList(Script.EXAMINE, queue, args);
      for (int i = 0; i < reply.size(); i += 2) {
        String finding = ReplyParser.text(reply.get(i));
        if (finding.equals(LATER)) {
          break;
        }
        answers.add(new Answer(finding, ReplyParser.bytes(reply.get(i + 1))));
      }
    }
    return answers;
  }

  private static void add(CommandArgs args, Subject task, Repair repair) {
    Instant since = task.seen().since();
    args.add(task.name())
        .add(task.seen().inPending())
        .add(task.seen().inActive())
        .add(task.place())
        .add(since.getEpochSecond() * 1_000_000_000 + since.getNano())
        .add(repair.expected())
        .add(repair.score())
        .add(repair.group())
        .add(repair.reason())
        .add(repair.digest());
  }
}
