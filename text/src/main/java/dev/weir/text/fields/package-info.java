/**
 * Reads the fields of a mapping by name and type: numbers, flags, percentages, durations, lists, enums; every mistake
 * goes to the collector. The names of the fields belong to the caller: no rule, quota, scenario or setting may come
 * in.
 */
@NullMarked
package dev.weir.text.fields;

import org.jspecify.annotations.NullMarked;
