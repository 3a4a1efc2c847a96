/** Tests that the documentation is true: they read it from the repository and compare it with the code. */
@NullMarked
package dev.weir.server.documentation;

import org.jspecify.annotations.NullMarked;
