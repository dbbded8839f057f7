/** The dashboard in a browser. */
@NullMarked
package io.asynq4j.cli.dashboard;

import org.jspecify.annotations.NullMarked;
