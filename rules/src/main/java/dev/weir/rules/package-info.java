/**
 * Loads and watches rules from files, folders and text. The format of a file and the walk through folders do not come
 * in: they are internal.
 */
@NullMarked
package dev.weir.rules;

import org.jspecify.annotations.NullMarked;
