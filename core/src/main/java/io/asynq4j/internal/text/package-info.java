/** Text formats: Go's durations and quoted strings, option texts, and safe log texts. */
@NullMarked
package io.asynq4j.internal.text;

import org.jspecify.annotations.NullMarked;
