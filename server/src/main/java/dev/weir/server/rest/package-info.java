/**
 * The HTTP side of the data plane: checks, status, {@code /json} and health, with their headers, errors and idempotency keys.
 * It asks the limiter and tells what it says; counting, matching and files do not come in.
 */
@NullMarked
package dev.weir.server.rest;

import org.jspecify.annotations.NullMarked;
