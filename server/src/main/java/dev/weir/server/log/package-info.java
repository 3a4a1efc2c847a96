/**
 * Sets up logging: text for a terminal or one JSON object per line, throttled, and written without ever blocking an
 * event loop. Log messages themselves do not belong here.
 */
@NullMarked
package dev.weir.server.log;

import org.jspecify.annotations.NullMarked;
