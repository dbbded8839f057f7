/** Output of commands: tables, JSON, CSV, colors and progress. */
@NullMarked
package io.asynq4j.cli.output;

import org.jspecify.annotations.NullMarked;
