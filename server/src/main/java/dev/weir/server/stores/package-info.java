/**
 * Opens the stores that the settings name, logs when decisions start and stop being made without them, and decides
 * whether this server may count in the home region. The inside of a store, and its use by a decision, do not belong here.
 */
@NullMarked
package dev.weir.server.stores;

import org.jspecify.annotations.NullMarked;
