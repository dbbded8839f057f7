package io.asynq4j.internal.redis.store;

import io.asynq4j.QueueName;
import io.asynq4j.internal.broker.Diagnostics.FindingDetail;
import io.asynq4j.internal.broker.Diagnostics.FindingKind;
import io.asynq4j.internal.broker.Diagnostics.RepairResult;
import io.asynq4j.internal.broker.Diagnostics.Subject;
import io.asynq4j.internal.broker.TaskMessage;
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

/** Looks at the tasks of a queue and puts them right, many a call. Thread-safe. */
final class TaskDiagnostics {

  /** What the script answers instead of a finding. */
  private static final String LATER = "!later";

  private static final String FAR = "!far";
  private static final String DONE = "!done";

  /** Expected by who expects nothing in particular, but wants a closer look. */
  private static final String ANYTHING = "?";

  private static final Repair NONE = new Repair("", "", "", "", "");

  private final ScriptRunner scripts;

  TaskDiagnostics(ScriptRunner scripts) {
    this.scripts = scripts;
  }

  /** What a look has shown of a task: what is amiss, and its message if that was to be read. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Look(@Nullable FindingDetail symptom, byte[] message) {}

  /**
   * What the script needs to know to put a task right.
   *
   * @param score where it belongs in its container, if its message tells
   * @param reason why it is archived, if it is
   * @param digest of a message that nobody can read
   */
  private record Repair(
      String expected, String score, String group, String reason, String digest) {}

  /** What one call answers of a task. */
  @SuppressWarnings("ArrayRecordComponent") // never compared
  private record Answer(String finding, byte[] message) {}

  List<@Nullable FindingDetail> examine(QueueName queue, List<Subject> tasks, boolean closely) {
    List<@Nullable FindingDetail> symptoms = new ArrayList<>(tasks.size());
    look(queue, tasks, closely).forEach(look -> symptoms.add(look.symptom()));
    return symptoms;
  }

  private List<Look> look(QueueName queue, List<Subject> tasks, boolean closely) {
    Repair looking = closely ? new Repair(ANYTHING, "", "", "", "") : NONE;
    List<Answer> answers =
        ask(
            queue,
            tasks,
            Collections.nCopies(tasks.size(), looking),
            "0",
            /* removeUnreadable= */ false);
    List<Look> looks = new ArrayList<>(tasks.size());
    for (int i = 0; i < tasks.size(); i++) {
      Answer answer = answers.get(i);
      FindingDetail symptom = symptom(answer.finding());
      if (symptom == null && answer.message().length > 0) {
        symptom = readable(answer.message(), queue, tasks.get(i).name());
      }
      looks.add(new Look(symptom, answer.message()));
    }
    return looks;
  }

  private static @Nullable FindingDetail symptom(String finding) {
    if (finding.isEmpty()) {
      return null;
    }
    int space = finding.indexOf(' ');
    String word = space < 0 ? finding : finding.substring(0, space);
    return new FindingDetail(
        FindingKind.valueOf(word.toUpperCase(Locale.ROOT)),
        1,
        space < 0 ? "" : finding.substring(space + 1));
  }

  private static @Nullable FindingDetail readable(byte[] message, QueueName queue, String id) {
    try {
      MessageCodec.decode(message, queue, id);
      return null;
    } catch (UnreadableMessageException e) {
      return new FindingDetail(FindingKind.UNREADABLE, 1, Script.sha1(message));
    }
  }

  /** Puts right what is amiss with tasks, where it is still the same. */
  List<RepairResult> heal(
      QueueName queue,
      List<Subject> tasks,
      List<FindingDetail> symptoms,
      boolean removeUnreadable) {
    List<Look> looks = look(queue, tasks, /* closely= */ true);
    RepairResult[] treatments = new RepairResult[tasks.size()];
    Arrays.fill(treatments, RepairResult.CHANGED);
    List<Integer> same = new ArrayList<>();
    List<Subject> toHeal = new ArrayList<>();
    List<Repair> remedies = new ArrayList<>();
    for (int i = 0; i < tasks.size(); i++) {
      FindingDetail symptom = looks.get(i).symptom();
      if (symptom != null && symptom.equals(symptoms.get(i))) {
        same.add(i);
        toHeal.add(tasks.get(i));
        remedies.add(remedy(queue, tasks.get(i).name(), symptom, looks.get(i).message()));
      }
    }
    List<Answer> answers = ask(queue, toHeal, remedies, "1", removeUnreadable);
    for (int i = 0; i < same.size(); i++) {
      String finding = answers.get(i).finding();
      if (finding.equals(DONE) || finding.equals(FAR)) {
        treatments[same.get(i)] =
            finding.equals(DONE) ? RepairResult.DONE : RepairResult.OUT_OF_REACH;
      }
    }
    return List.of(treatments);
  }

  private static Repair remedy(QueueName queue, String id, FindingDetail symptom, byte[] message) {
    String word = symptom.ailment().name().toLowerCase(Locale.ROOT);
    boolean bare = symptom.detail().isEmpty() && !hasDetail(symptom.ailment());
    String expected = bare ? word : word + " " + symptom.detail();
    String state = symptom.detail().split(" ", 2)[0];
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

  /** Whether the script says more than the word, even if that is nothing. */
  private static boolean hasDetail(FindingKind ailment) {
    return ailment != FindingKind.RECORD_WITHOUT_MESSAGE
        && ailment != FindingKind.ACTIVE_WITHOUT_LEASE;
  }

  /** Where the task was in its container, as far as its message tells. */
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
          case "scheduled" -> "when it was to run";
          case "aggregating" -> "its group";
          default -> "its state";
        };
    return "the doctor found it in no container, and " + unknown + " is not known any more";
  }

  /** Asks for all of them, and again for those that a call has left for later. */
  private List<Answer> ask(
      QueueName queue,
      List<Subject> tasks,
      List<Repair> remedies,
      String repair,
      boolean removeUnreadable) {
    List<Answer> answers = new ArrayList<>(tasks.size());
    while (answers.size() < tasks.size()) {
      int from = answers.size();
      int to = Math.min(from + BatchSplitter.MAX, tasks.size());
      CommandArgs args = new CommandArgs(3 + (to - from) * 10).add(repair).add(repair.equals("0"));
      args.add(removeUnreadable);
      for (int i = from; i < to; i++) {
        add(args, tasks.get(i), remedies.get(i));
      }
      List<@Nullable Object> reply = ReplyParser.list(scripts.run(Script.EXAMINE, queue, args));
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

  private static void add(CommandArgs args, Subject task, Repair remedy) {
    Instant since = task.seen().since();
    args.add(task.name())
        .add(task.seen().inPending())
        .add(task.seen().inActive())
        .add(task.place())
        .add(since.getEpochSecond() * 1_000_000_000 + since.getNano())
        .add(remedy.expected())
        .add(remedy.score())
        .add(remedy.group())
        .add(remedy.reason())
        .add(remedy.digest());
  }
}
