/** What stands in the documentation is true. It is read from the repository, and held against what it speaks of. */
@NullMarked
package dev.weir.server.documentation;

import org.jspecify.annotations.NullMarked;
