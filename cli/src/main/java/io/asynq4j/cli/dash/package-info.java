/**
 * {@code asynq dash}: a pure model ({@code Model}, {@code View}, {@code Controller}), a renderer
 * onto a grid of characters ({@code Painter}), a thread that asks Redis ({@code Fetcher}), and the
 * terminal at the edge ({@code LanternaDisplay}).
 */
@NullMarked
package io.asynq4j.cli.dash;

import org.jspecify.annotations.NullMarked;
