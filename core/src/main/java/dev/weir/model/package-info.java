/**
 * The words of Weir as types: limit, rule, request, verdict, decision. Data and its validation live here; nothing that
 * decides, counts or matches comes in.
 */
@NullMarked
package dev.weir.model;

import org.jspecify.annotations.NullMarked;
