/**
 * From bytes to a tree of text with positions, in bounded time and memory. What the text means is decided elsewhere: here
 * {@code 404}, {@code true} and {@code yes} are just what stands in the file.
 */
@NullMarked
package dev.weir.rules.yaml;

import org.jspecify.annotations.NullMarked;
