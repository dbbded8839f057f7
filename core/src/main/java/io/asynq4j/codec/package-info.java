/**
 * Conversion of inputs and results to bytes and back.
 *
 * <p>Start with {@link io.asynq4j.codec.PayloadCodec}: it offers JSON and is the interface for
 * other formats. {@link io.asynq4j.codec.TypeRef} names a generic type such as {@code List<Order>}.
 * {@link io.asynq4j.codec.PayloadException} reports a payload that cannot be converted.
 */
@NullMarked
package io.asynq4j.codec;

import org.jspecify.annotations.NullMarked;
