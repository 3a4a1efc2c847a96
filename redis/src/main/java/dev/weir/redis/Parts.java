package dev.weir.redis;

/** An ask that is decided in parts. */
interface Parts {
    /** One part was decided, or failed; in the event loop where that happened. */
    void decided(Pending part);
}
