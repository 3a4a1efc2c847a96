/**
 * Opens the stores that the settings name, and logs when decisions start and stop being made without them. The inside
 * of a store, and its use by a decision, do not belong here.
 */
@NullMarked
package dev.weir.server.stores;

import org.jspecify.annotations.NullMarked;
