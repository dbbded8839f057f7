/** A real Redis as a child process, for development and for tests. */
@NullMarked
package io.asynq4j.embedded;

import org.jspecify.annotations.NullMarked;
