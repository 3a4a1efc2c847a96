/**
 * The regions that rules may name, and the field that says over which of them a limit holds. Other fields of a rule do
 * not belong here.
 */
@NullMarked
package dev.weir.rules.internal.regions;

import org.jspecify.annotations.NullMarked;
