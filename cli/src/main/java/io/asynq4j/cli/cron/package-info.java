/** Commands for schedule entries. */
@NullMarked
package io.asynq4j.cli.cron;

import org.jspecify.annotations.NullMarked;
