/** How many tasks are accepted, whichever way they come. */
@NullMarked
package io.asynq4j.service.limit;

import org.jspecify.annotations.NullMarked;
