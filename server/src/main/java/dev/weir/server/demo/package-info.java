/**
 * {@code weir serve --demo}: rules and callers that are made up, so that a server shows what it does without anybody
 * else. Nothing else of the server depends on it, but for its rules.
 */
@NullMarked
package dev.weir.server.demo;

import org.jspecify.annotations.NullMarked;
