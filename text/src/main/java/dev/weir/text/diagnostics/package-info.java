/**
 * An error or a warning with its file, line, column and hint, and the collector that reports all of a file's mistakes
 * at once. No parser and no knowledge of what the file is about may come in.
 */
@NullMarked
package dev.weir.text.diagnostics;

import org.jspecify.annotations.NullMarked;
