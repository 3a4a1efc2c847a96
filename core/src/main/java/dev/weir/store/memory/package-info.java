/**
 * The embedded store: striped, open-addressed tables of primitive slots, bounded, with no object per key. Rules, requests and
 * networks do not come in.
 */
@NullMarked
package dev.weir.store.memory;

import org.jspecify.annotations.NullMarked;
