package io.asynq4j.cli.dash.model;

import io.asynq4j.cli.dash.data.FetchResult;
import io.asynq4j.cli.dash.data.Query;
import io.asynq4j.cli.dash.screen.ScreenSize;
import io.asynq4j.cli.dash.view.QueuesView;
import io.asynq4j.cli.dash.view.View;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Complete state of the screen. Immutable.
 *
 * @param where address of Redis, without secrets
 * @param views stack of open views; the last one is shown
 * @param prompt text being typed; null if no prompt is open
 * @param question open confirmation; null if there is none
 */
public record DashModel(
    String where,
    ZoneId zone,
    ScreenSize size,
    Instant now,
    List<View> views,
    @Nullable String prompt,
    @Nullable ConfirmDialog question,
    @Nullable StatusMessage message,
    RedisHealth health) {

  private static final Duration MESSAGE = Duration.ofSeconds(15);

  public DashModel {
    views = List.copyOf(views);
  }

  public static DashModel start(
      String where, ZoneId zone, ScreenSize size, Instant now, Duration interval) {
    return new DashModel(
        where,
        zone,
        size,
        now,
        List.of(QueuesView.start()),
        null,
        null,
        null,
        RedisHealth.start(now, interval));
  }

  public View view() {
    return views.get(views.size() - 1);
  }

  public Query wish() {
    return view().wish(size);
  }

  private DashModel with(List<View> newViews) {
    return new DashModel(where, zone, size, now, newViews, prompt, question, message, health);
  }

  /** Replaces the shown view. */
  public DashModel showing(View view) {
    List<View> changed = new ArrayList<>(views);
    changed.set(changed.size() - 1, view);
    return with(changed);
  }

  /** Opens a view on top of the shown one. */
  public DashModel into(View view) {
    List<View> more = new ArrayList<>(views);
    more.add(view);
    return with(more);
  }

  public boolean isAtTop() {
    return views.size() == 1;
  }

  public DashModel back() {
    return isAtTop() ? this : with(views.subList(0, views.size() - 1));
  }

  /** Opens a main view; the queues view always stays below with its data. */
  public DashModel atMain(View view) {
    return view instanceof QueuesView
        ? with(views.subList(0, 1))
        : with(List.of(views.get(0), view));
  }

  public DashModel sized(ScreenSize newSize) {
    return new DashModel(where, zone, newSize, now, views, prompt, question, message, health);
  }

  public DashModel at(Instant newNow) {
    boolean isOver = message != null && newNow.isAfter(message.until());
    return new DashModel(
        where, zone, size, newNow, views, prompt, question, isOver ? null : message, health);
  }

  public DashModel typing(@Nullable String newPrompt) {
    return new DashModel(where, zone, size, now, views, newPrompt, question, message, health);
  }

  public DashModel asking(@Nullable ConfirmDialog newQuestion) {
    return new DashModel(where, zone, size, now, views, prompt, newQuestion, message, health);
  }

  public DashModel saying(String text, boolean isGood) {
    StatusMessage newMessage = new StatusMessage(text, isGood, now.plus(MESSAGE));
    return new DashModel(where, zone, size, now, views, prompt, question, newMessage, health);
  }

  public DashModel silent() {
    return new DashModel(where, zone, size, now, views, prompt, question, null, health);
  }

  /** Model with the fetched data. */
  public DashModel heard(FetchResult batch) {
    List<View> updated = new ArrayList<>();
    for (View view : views) {
      View next = view.with(batch.overview(), size);
      updated.add(batch.answer() == null ? next : next.with(batch.answer(), size));
    }
    return new DashModel(
        where,
        zone,
        size,
        now,
        updated,
        prompt,
        question,
        message,
        health.answered(batch.at(), batch.ping()));
  }

  public DashModel unheard(String problem) {
    return new DashModel(
        where, zone, size, now, views, prompt, question, message, health.failed(problem));
  }
}
