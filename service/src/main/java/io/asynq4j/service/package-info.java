/** The task service: tasks submitted, executed and leased over HTTP. */
@NullMarked
package io.asynq4j.service;

import org.jspecify.annotations.NullMarked;
