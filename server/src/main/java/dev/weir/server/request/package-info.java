/**
 * Reads a request as people write it: the words of a command line, and the line of the explain box. What a request means
 * to the rules does not belong here.
 */
@NullMarked
package dev.weir.server.request;

import org.jspecify.annotations.NullMarked;
