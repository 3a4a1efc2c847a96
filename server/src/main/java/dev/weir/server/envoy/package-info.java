/**
 * Checks the configuration of an Envoy that asks this server: finds its rate limit filters, and warns of settings that do
 * not mean what they seem to. It reads a file only; it asks no Envoy.
 */
@NullMarked
package dev.weir.server.envoy;

import org.jspecify.annotations.NullMarked;
