/**
 * Finds the callers that are denied most, allowed most, and nearest to their limit, in bounded memory, and keeps their
 * last denials. One thread does it from what the deciding threads put into rings; nothing here decides, and nothing here
 * may make a decision wait.
 */
@NullMarked
package dev.weir.server.topkeys;

import org.jspecify.annotations.NullMarked;
