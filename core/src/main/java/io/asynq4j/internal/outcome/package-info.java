/** The rules by which what a handler or worker decided becomes what is applied to its task. */
@NullMarked
package io.asynq4j.internal.outcome;

import org.jspecify.annotations.NullMarked;
