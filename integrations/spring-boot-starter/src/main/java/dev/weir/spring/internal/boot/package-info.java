/**
 * Opens a Weir from {@code weir.*} properties when an application starts, and explains what is wrong with them. The other rooms
 * of the starter depend on this one.
 */
@NullMarked
package dev.weir.spring.internal.boot;

import org.jspecify.annotations.NullMarked;
