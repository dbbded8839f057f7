/** The command that runs the task service. */
@NullMarked
package io.asynq4j.cli.service;

import org.jspecify.annotations.NullMarked;
