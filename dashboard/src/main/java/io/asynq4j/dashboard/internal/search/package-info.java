/** The query language, searches and bulk jobs. */
@NullMarked
package io.asynq4j.dashboard.internal.search;

import org.jspecify.annotations.NullMarked;
