/**
 * Bans, shadow bans and exemptions: the newest change of each, from the database, the relay in Redis, this node's file,
 * and rules that escalate. How a request is matched with them may not come in.
 */
@NullMarked
package dev.weir.control.bans;

import org.jspecify.annotations.NullMarked;
