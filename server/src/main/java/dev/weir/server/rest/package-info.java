/**
 * The data plane over HTTP: checks, status, {@code /json} and health, with their headers, errors and idempotency keys.
 * It asks the limiter and reports its decision; counting, matching and files do not belong here.
 */
@NullMarked
package dev.weir.server.rest;

import org.jspecify.annotations.NullMarked;
