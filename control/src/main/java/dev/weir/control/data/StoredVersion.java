package dev.weir.control.data;

import java.time.Instant;

/**
 * The last change of a record in the database: its version, its time and its author.
 *
 * @param version the number of that change, which is the record's entity tag
 */
public record StoredVersion(long version, Instant at, String by) {}
