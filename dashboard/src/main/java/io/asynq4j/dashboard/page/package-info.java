/** The files of the page. */
@NullMarked
package io.asynq4j.dashboard.page;

import org.jspecify.annotations.NullMarked;
