/**
 * Brings bans from every source into the limiter, and counts what they do. How nodes share them, and how a request is
 * matched with them, may not come in.
 */
@NullMarked
package dev.weir.server.bans;

import org.jspecify.annotations.NullMarked;
