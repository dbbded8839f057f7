/** The code of docs/guides/spring-boot.md. */
@org.jspecify.annotations.NullMarked
package io.asynq4j.spring.boot.guide;
