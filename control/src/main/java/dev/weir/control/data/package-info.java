/**
 * Small tools that the other rooms share: JSON text, files that only their owner may read, timestamps, and the version
 * of a stored record. Nothing of the other rooms comes in.
 */
@NullMarked
package dev.weir.control.data;

import org.jspecify.annotations.NullMarked;
