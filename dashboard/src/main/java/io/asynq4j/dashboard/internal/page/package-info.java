/** The web page: its files and the page of a problem. */
@NullMarked
package io.asynq4j.dashboard.internal.page;

import org.jspecify.annotations.NullMarked;
