/** Painters that draw views onto the screen. */
@NullMarked
package io.asynq4j.cli.dash.render;

import org.jspecify.annotations.NullMarked;
