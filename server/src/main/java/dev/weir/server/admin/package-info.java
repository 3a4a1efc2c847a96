/**
 * What operators see and change on the admin port. Nothing here is for callers, and nothing here changes anything by GET.
 */
@NullMarked
package dev.weir.server.admin;

import org.jspecify.annotations.NullMarked;
