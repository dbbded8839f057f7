package io.asynq4j.cli.dash.view;

import io.asynq4j.cli.dash.data.Query;
import io.asynq4j.cli.dash.data.QueryResult;
import io.asynq4j.cli.dash.data.SearchParser;
import io.asynq4j.cli.dash.screen.ScreenSize;
import io.asynq4j.inspect.ServerSnapshot;
import io.asynq4j.inspect.ServerSnapshot.WorkerSnapshot;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A server and its running tasks. */
public record ServerView(
    String id, ListPosition place, String search, @Nullable List<ServerSnapshot> servers)
    implements ListView {

  private static final int OTHERS = 6;

  public static ServerView of(String id, @Nullable List<ServerSnapshot> servers) {
    return new ServerView(id, ListPosition.START, "", servers);
  }

  @Override
  public String title() {
    return "server › " + id;
  }

  @Override
  public int rows(ScreenSize size) {
    return size.list(OTHERS);
  }

  public Optional<ServerSnapshot> server() {
    return servers == null
        ? Optional.empty()
        : servers.stream().filter(one -> one.id().equals(id)).findFirst();
  }

  public List<WorkerSnapshot> list() {
    return ListView.matching(
        server().map(ServerSnapshot::workers).orElse(null),
        worker ->
            SearchParser.contains(
                worker.taskId() + " " + worker.taskType() + " " + worker.queue(), search));
  }

  public Optional<WorkerSnapshot> worker(String taskId) {
    return list().stream().filter(one -> one.taskId().equals(taskId)).findFirst();
  }

  @Override
  public List<String> keys() {
    return list().stream().map(WorkerSnapshot::taskId).toList();
  }

  @Override
  public Query wish(ScreenSize size) {
    return new Query.Servers();
  }

  @Override
  public View with(QueryResult answer, ScreenSize size) {
    return answer instanceof QueryResult.Servers found
        ? new ServerView(id, place, search, found.servers())
        : this;
  }

  @Override
  public ServerView at(ListPosition newPlace) {
    return new ServerView(id, newPlace, search, servers);
  }

  @Override
  public ServerView searching(String newSearch) {
    return new ServerView(id, place, newSearch, servers);
  }
}
