/**
 * The state of a pacer: the limits that headers announce, and the rate at which this process asks under each. Time is a
 * parameter. HTTP clients may not come in.
 */
@NullMarked
package dev.weir.client.internal;

import org.jspecify.annotations.NullMarked;
