/**
 * {@code asynq dash}: a pure model ({@code DashModel}, {@code View}, {@code KeyController}), a
 * renderer that draws it onto a grid of characters ({@code ScreenPainter}), a thread that queries
 * Redis ({@code Fetcher}), and the terminal ({@code LanternaDisplay}).
 */
@NullMarked
package io.asynq4j.cli.dash;

import org.jspecify.annotations.NullMarked;
