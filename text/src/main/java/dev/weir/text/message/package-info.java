/**
 * Words for people: quoting and escaping text on one line, guessing the word that was meant, saying why a file cannot
 * be read. Nothing of Weir comes in here, and no position in a file.
 */
@NullMarked
package dev.weir.text.message;

import org.jspecify.annotations.NullMarked;
