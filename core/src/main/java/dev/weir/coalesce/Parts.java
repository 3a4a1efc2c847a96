package dev.weir.coalesce;

/** An ask that is decided in parts. */
interface Parts {
    /** One part was decided, or failed; in the loop where that happened. */
    void decided(Pending part);
}
