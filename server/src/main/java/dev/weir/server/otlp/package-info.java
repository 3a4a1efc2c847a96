/**
 * Sends metrics and spans to an OpenTelemetry collector. Nothing else uses OpenTelemetry's libraries, and nothing here is
 * loaded unless the settings name a collector.
 */
@NullMarked
package dev.weir.server.otlp;

import org.jspecify.annotations.NullMarked;
