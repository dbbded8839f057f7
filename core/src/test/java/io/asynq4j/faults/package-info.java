/**
 * Tests that inject faults: lost connections, silent servers, failovers, missing memory and
 * threads.
 */
@NullMarked
package io.asynq4j.faults;

import org.jspecify.annotations.NullMarked;
