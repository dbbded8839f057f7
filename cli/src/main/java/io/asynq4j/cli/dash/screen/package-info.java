/** Characters, tables, charts and styles. */
@NullMarked
package io.asynq4j.cli.dash.screen;

import org.jspecify.annotations.NullMarked;
