/** Commands for servers. */
@NullMarked
package io.asynq4j.cli.server;

import org.jspecify.annotations.NullMarked;
