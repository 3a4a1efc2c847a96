/**
 * A caller's quota (tier and overrides) in request bodies, in the database, and in memory for the decision path.
 * Transactions and following belong in {@code change}; HTTP does not come in.
 */
@NullMarked
package dev.weir.control.quota;

import org.jspecify.annotations.NullMarked;
