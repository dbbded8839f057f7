/** Text formats: durations and quoted texts as Go writes them, option texts, and safe log texts. */
@NullMarked
package io.asynq4j.internal.text;

import org.jspecify.annotations.NullMarked;
