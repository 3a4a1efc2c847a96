/**
 * The database: PostgreSQL that a fleet shares, or H2 in the data folder of one server. What is kept in it does not come in.
 */
@NullMarked
package dev.weir.control.database;

import org.jspecify.annotations.NullMarked;
