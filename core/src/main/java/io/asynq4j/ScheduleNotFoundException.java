package io.asynq4j;

/** No scheduler of this library has had an entry of this name, or the entry was forgotten. */
public final class ScheduleNotFoundException extends AsynqException {

  private final String name;

  public ScheduleNotFoundException(String name) {
    super(
        "there is no schedule entry \"%s\"; entries of Go schedulers are only listed, they cannot be paused, resumed or run"
            .formatted(name));
    this.name = name;
  }

  public String name() {
    return name;
  }
}
