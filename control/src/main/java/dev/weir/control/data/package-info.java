/**
 * What the rooms of the control plane share: JSON, files that are private, and when a thing was changed. Nothing of theirs comes in.
 */
@NullMarked
package dev.weir.control.data;

import org.jspecify.annotations.NullMarked;
