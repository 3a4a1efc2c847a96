package dev.weir.control.data;

import java.time.Instant;

/**
 * When something in the database was last changed, and by whom.
 *
 * @param version the number of that change: the thing's entity tag
 */
public record StoredVersion(long version, Instant at, String by) {}
