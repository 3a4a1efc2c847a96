/**
 * Opens the stores that the settings name, and logs when decisions begin and cease to be made without them. What a
 * store does inside, and how a decision uses it, does not come in.
 */
@NullMarked
package dev.weir.server.stores;

import org.jspecify.annotations.NullMarked;
