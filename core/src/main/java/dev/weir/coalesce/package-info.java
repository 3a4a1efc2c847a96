/**
 * The way to a store that is far: while a round of calls is under way, what arrives waits for the next one, and nobody waits past its
 * deadline. It knows checks, rounds and deadlines; what a call looks like, what carries it and what time it is, others say.
 */
@NullMarked
package dev.weir.coalesce;

import org.jspecify.annotations.NullMarked;
