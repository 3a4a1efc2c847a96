package dev.weir.internal.queue;

import dev.weir.Request;

/**
 * Bounds the text that a waiting request makes this process keep. A longer request does not wait: it is denied at once.
 */
final class WaitingText {
    /** The most characters in the attributes of a request that waits. */
    static final int MOST = 2_048;

    private WaitingText() {}

    static boolean fits(Request request) {
        long length = request.domain().length();
        for (int i = 0; i < request.descriptors() && length <= MOST; i++) {
            for (int entry = request.start(i); entry < request.end(i); entry++) {
                length += 1 + request.key(entry).length() + request.value(entry).length();
            }
        }
        return length <= MOST;
    }
}
