/**
 * The public API of Weir as a library: the limiter, and the words it is asked and answered in. Only what a user of the
 * library needs comes in; everything that decides, counts or connects is below {@code dev.weir.internal}.
 */
@NullMarked
package dev.weir;

import org.jspecify.annotations.NullMarked;
