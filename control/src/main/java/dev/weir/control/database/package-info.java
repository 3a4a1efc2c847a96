/**
 * Connections and transactions on PostgreSQL, which a fleet shares, or on H2 in the data folder of one server. The
 * tables' contents do not come in.
 */
@NullMarked
package dev.weir.control.database;

import org.jspecify.annotations.NullMarked;
