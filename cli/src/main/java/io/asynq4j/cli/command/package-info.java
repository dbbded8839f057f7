/** Shared by all commands: global options, sessions, confirmation, errors and exit codes. */
@NullMarked
package io.asynq4j.cli.command;

import org.jspecify.annotations.NullMarked;
