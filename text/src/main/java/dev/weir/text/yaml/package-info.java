/**
 * Reads bytes into a tree of text with positions, in bounded time and memory; JSON is read as YAML. The meaning of a
 * value does not come in: here {@code 404}, {@code true} and {@code yes} are text, as written in the file.
 */
@NullMarked
package dev.weir.text.yaml;

import org.jspecify.annotations.NullMarked;
