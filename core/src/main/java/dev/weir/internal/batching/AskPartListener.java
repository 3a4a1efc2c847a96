package dev.weir.internal.batching;

/** An ask that is decided in parts. */
interface AskPartListener {
    /** One part was decided, or failed; in the loop where that happened. */
    void decided(QueuedAsk part);
}
