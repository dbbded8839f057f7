/** The claim loop: which queue gives the next tasks to idle workers. */
@NullMarked
package io.asynq4j.internal.server.claim;

import org.jspecify.annotations.NullMarked;
