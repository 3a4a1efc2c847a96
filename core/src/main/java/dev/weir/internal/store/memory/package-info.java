/**
 * The store in the memory of this process: striped, open-addressed tables of primitive slots, bounded, without an
 * object per key. Rules, requests and networks may not come in.
 */
@NullMarked
package dev.weir.internal.store.memory;

import org.jspecify.annotations.NullMarked;
