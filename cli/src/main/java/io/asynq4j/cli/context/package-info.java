/** Commands about named places of Redis. */
@NullMarked
package io.asynq4j.cli.context;

import org.jspecify.annotations.NullMarked;
