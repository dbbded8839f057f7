/** The state of the terminal dashboard, its events and its side effects. */
@NullMarked
package io.asynq4j.cli.dash.model;

import org.jspecify.annotations.NullMarked;
