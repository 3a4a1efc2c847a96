/**
 * Loads and watches rules from files, folders and text. The file format and the search of folders do not belong here:
 * they are internal.
 */
@NullMarked
package dev.weir.rules;

import org.jspecify.annotations.NullMarked;
