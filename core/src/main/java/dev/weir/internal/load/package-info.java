/**
 * The share of their limits that the load of a service leaves to rules. Where loads are reported, and how nodes tell each
 * other, may not come in.
 */
@NullMarked
package dev.weir.internal.load;

import org.jspecify.annotations.NullMarked;
