/** Commands for contexts. */
@NullMarked
package io.asynq4j.cli.context;

import org.jspecify.annotations.NullMarked;
