package dev.weir;

/** How closely the nodes that share a limit coordinate, and so how far together they may exceed it. */
public enum Consistency {
    EXACT,
    LEASED,
    REPORTED,
    LOCAL
}
