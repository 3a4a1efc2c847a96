/**
 * Replays recorded traffic on virtual time: the real limiter decides it again by one set of rules or two, and counts who
 * is denied, by which rule and when. No server and no Redis is asked, and nothing is printed.
 */
@NullMarked
package dev.weir.server.replay;

import org.jspecify.annotations.NullMarked;
