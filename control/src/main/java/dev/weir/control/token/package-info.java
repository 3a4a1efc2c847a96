/**
 * Tokens that let operators in: their text, their rows, and what a node knows of them in memory. HTTP does not come in, and
 * neither does a secret that could be read back.
 */
@NullMarked
package dev.weir.control.token;

import org.jspecify.annotations.NullMarked;
