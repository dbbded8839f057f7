package io.asynq4j.service.gearman;

import java.util.Map;

/** A worker asks for a job. Each is one of its own, whatever another one says. */
final class Grab {

  private final WorkerSide worker;
  private final Connection.Place place;
  private final Command command;
  private final Map<String, String> functions;

  /**
   * @param command which of the three ways to ask, and so to be answered
   * @param functions what it can do, by the queues where such jobs are; the most urgent first
   */
  Grab(WorkerSide worker, Connection.Place place, Command command, Map<String, String> functions) {
    this.worker = worker;
    this.place = place;
    this.command = command;
    this.functions = functions;
  }

  WorkerSide worker() {
    return worker;
  }

  Connection.Place place() {
    return place;
  }

  Command command() {
    return command;
  }

  Map<String, String> functions() {
    return functions;
  }
}
