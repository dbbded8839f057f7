/** The views of the terminal dashboard. */
@NullMarked
package io.asynq4j.cli.dash.view;

import org.jspecify.annotations.NullMarked;
