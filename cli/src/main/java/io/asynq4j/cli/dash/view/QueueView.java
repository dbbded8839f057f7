package io.asynq4j.cli.dash.view;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskState;
import io.asynq4j.cli.dash.data.Query;
import io.asynq4j.cli.dash.data.QueryResult;
import io.asynq4j.cli.dash.data.QueueRow;
import io.asynq4j.cli.dash.data.SearchParser;
import io.asynq4j.cli.dash.screen.ScreenSize;
import io.asynq4j.cli.output.TaskStateOrder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A queue: the tasks of a state, the groups, or the tasks of a group.
 *
 * @param group null for all groups; only for aggregating tasks
 * @param before start cursors of the pages of a search up to this one; the last is this page
 * @param groupPlace position in the list of groups
 * @param marked IDs of marked tasks; only of visible tasks
 * @param row null if it is not loaded yet
 * @param nothing why there is no data; null if there is
 */
public record QueueView(
    String name,
    TaskState state,
    @Nullable String group,
    long offset,
    List<String> before,
    ListPosition place,
    ListPosition groupPlace,
    Set<String> marked,
    String search,
    @Nullable QueueRow row,
    QueryResult.@Nullable Tasks tasks,
    QueryResult.@Nullable Groups groups,
    @Nullable String nothing)
    implements ListView {

  private static final int OTHERS = 5;

  public QueueView {
    before = List.copyOf(before);
    marked = Set.copyOf(marked);
  }

  public static QueueView of(String name) {
    return new QueueView(
        name,
        TaskState.ACTIVE,
        null,
        0,
        List.of(),
        ListPosition.START,
        ListPosition.START,
        Set.of(),
        "",
        null,
        null,
        null,
        null);
  }

  @Override
  public String title() {
    return name + " › " + state.word() + (group == null ? "" : " › " + group);
  }

  public boolean listsGroups() {
    return state == TaskState.AGGREGATING && group == null;
  }

  @Override
  public int rows(ScreenSize size) {
    return size.list(OTHERS);
  }

  public List<QueryResult.Group> groupList() {
    return groups == null
        ? List.of()
        : groups.groups().stream()
            .filter(one -> SearchParser.contains(one.name(), search))
            .toList();
  }

  @Override
  public List<String> keys() {
    if (listsGroups()) {
      return groupList().stream().map(QueryResult.Group::name).toList();
    } else if (tasks == null) {
      return List.of();
    }
    List<String> keys = new ArrayList<>(tasks.tasks().stream().map(TaskInfo::id).toList());
    keys.addAll(tasks.unreadable());
    return keys;
  }

  public Optional<TaskInfo> task(String id) {
    return tasks == null
        ? Optional.empty()
        : tasks.tasks().stream().filter(task -> task.id().equals(id)).findFirst();
  }

  @Override
  public Query wish(ScreenSize size) {
    return listsGroups()
        ? new Query.Groups(name)
        : new Query.Tasks(
            name,
            state,
            group,
            offset,
            rows(size),
            search,
            before.isEmpty() ? null : before.get(before.size() - 1));
  }

  @Override
  public View with(QueryResult answer, ScreenSize size) {
    if (answer instanceof QueryResult.Overview found) {
      Optional<QueueRow> now =
          found.rows().stream().filter(one -> one.name().equals(name)).findFirst();
      return now.isEmpty() ? this : known(now.get(), tasks, groups, nothing);
    } else if (answer instanceof QueryResult.Tasks found && found.wish().equals(wish(size))) {
      boolean isBehindTheEnd =
          offset > 0 && found.tasks().isEmpty() && found.unreadable().isEmpty();
      QueueView now = known(row, found, groups, null);
      return isBehindTheEnd
          ? now.page(Math.max(0, found.total() - 1) / rows(size) * rows(size), before)
          : now;
    } else if (answer instanceof QueryResult.Groups found && found.wish().equals(wish(size))) {
      return known(row, tasks, found, null);
    } else if (answer instanceof QueryResult.Nothing found && found.wish().equals(wish(size))) {
      return known(row, null, null, found.why());
    }
    return this;
  }

  private QueueView known(
      @Nullable QueueRow newRow,
      QueryResult.@Nullable Tasks newTasks,
      QueryResult.@Nullable Groups newGroups,
      @Nullable String newNothing) {
    return new QueueView(
        name,
        state,
        group,
        offset,
        before,
        place,
        groupPlace,
        newTasks == null ? Set.of() : newTasks.among(marked),
        search,
        newRow,
        newTasks,
        newGroups,
        newNothing);
  }

  @Override
  public QueueView at(ListPosition newPlace) {
    return new QueueView(
        name,
        state,
        group,
        offset,
        before,
        newPlace,
        groupPlace,
        marked,
        search,
        row,
        tasks,
        groups,
        nothing);
  }

  /** View with other marked tasks. */
  public QueueView marking(Set<String> ids) {
    return new QueueView(
        name,
        state,
        group,
        offset,
        before,
        place,
        groupPlace,
        ids,
        search,
        row,
        tasks,
        groups,
        nothing);
  }

  /** Marks or unmarks a task. */
  public QueueView toggled(String id) {
    Set<String> ids = new HashSet<>(marked);
    if (!ids.remove(id)) {
      ids.add(id);
    }
    return marking(ids);
  }

  /** Marks all visible tasks, or unmarks them if all were marked. */
  public QueueView toggledAll() {
    Set<String> all = new HashSet<>(keys());
    return marking(marked.equals(all) ? Set.of() : all);
  }

  @Override
  public QueueView searching(String newSearch) {
    return listsGroups()
        ? new QueueView(
            name,
            state,
            group,
            0,
            List.of(),
            place,
            groupPlace,
            Set.of(),
            newSearch,
            row,
            tasks,
            groups,
            null)
        : list(state, group, newSearch, groupPlace);
  }

  /** Shows another list from its start. */
  private QueueView list(
      TaskState newState, @Nullable String newGroup, String newSearch, ListPosition newGroupPlace) {
    return new QueueView(
        name,
        newState,
        newGroup,
        0,
        List.of(),
        ListPosition.START,
        newGroupPlace,
        Set.of(),
        newSearch,
        row,
        null,
        groups,
        null);
  }

  public QueueView inState(TaskState newState) {
    return list(newState, null, "", ListPosition.START);
  }

  public QueueView inGroup(String newGroup) {
    return list(state, newGroup, "", place);
  }

  /** Returns to the list of groups, at the previous position. */
  public QueueView outOfGroup() {
    return list(state, null, "", ListPosition.START).at(groupPlace);
  }

  public QueueView nextState(int by) {
    int index = TaskStateOrder.IN_ORDER.indexOf(state);
    return inState(
        TaskStateOrder.IN_ORDER.get(Math.floorMod(index + by, TaskStateOrder.IN_ORDER.size())));
  }

  public boolean hasNextPage(ScreenSize size) {
    if (tasks == null || listsGroups()) {
      return false;
    }
    // A search continues only from a cursor that was received.
    return search.isEmpty()
        ? offset + rows(size) < tasks.total()
        : tasks.cursor() != null && tasks.wish().equals(wish(size));
  }

  public boolean hasPreviousPage() {
    return offset > 0 || !before.isEmpty();
  }

  public QueueView nextPage(ScreenSize size) {
    if (tasks == null || !hasNextPage(size)) {
      return this;
    } else if (search.isEmpty()) {
      return page(offset + rows(size), before);
    }
    List<String> newBefore = new ArrayList<>(before);
    newBefore.add(String.valueOf(tasks.cursor()));
    return page(0, newBefore);
  }

  public QueueView previousPage(ScreenSize size) {
    return page(
        Math.max(0, offset - rows(size)),
        before.isEmpty() ? before : before.subList(0, before.size() - 1));
  }

  private QueueView page(long newOffset, List<String> newBefore) {
    // Keep the current rows until the new page arrives.
    return new QueueView(
        name,
        state,
        group,
        newOffset,
        newBefore,
        ListPosition.START,
        groupPlace,
        Set.of(),
        search,
        row,
        tasks,
        groups,
        nothing);
  }
}
