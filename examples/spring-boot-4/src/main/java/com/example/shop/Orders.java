package com.example.shop;

import io.asynq4j.TaskInfo;
import io.asynq4j.TaskNotFoundException;
import io.asynq4j.client.TaskClient;
import io.asynq4j.inspect.Inspector;
import io.asynq4j.spring.TaskTypes;
import java.util.concurrent.atomic.AtomicLong;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/** Takes orders, and enqueues a mail for each. */
@RestController
class Orders {

  private final TaskClient tasks;
  private final TaskTypes types;
  private final Inspector inspector;
  private final AtomicLong numbers = new AtomicLong();

  Orders(TaskClient tasks, TaskTypes types, Inspector inspector) {
    this.tasks = tasks;
    this.types = types;
    this.inspector = inspector;
  }

  /** Returns the ID of the task. */
  @PostMapping("/orders")
  @ResponseStatus(HttpStatus.ACCEPTED)
  String order(@RequestParam("customer") String customer) {
    OrderMail mail = new OrderMail(numbers.incrementAndGet(), customer);
    return tasks.enqueue(types.of(OrderMail.class), mail).orThrow().id();
  }

  /** Returns the state of a task. */
  @GetMapping("/mails/{id}")
  String mail(@PathVariable("id") String id) {
    try {
      TaskInfo task = inspector.queue("mail").task(id);
      return task.state().name();
    } catch (TaskNotFoundException e) {
      throw new ResponseStatusException(HttpStatus.NOT_FOUND, e.getMessage(), e);
    }
  }
}
