/** What all commands share: global options, the session with Redis, failures, confirmations. */
@NullMarked
package io.asynq4j.cli.frame;

import org.jspecify.annotations.NullMarked;
