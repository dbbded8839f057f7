/** What commands show: tables, JSON, CSV, colours, progress. */
@NullMarked
package io.asynq4j.cli.output;

import org.jspecify.annotations.NullMarked;
