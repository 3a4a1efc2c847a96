package dev.weir.internal.lease;

import dev.weir.internal.algorithm.PermitLevels;
import java.util.ArrayList;
import java.util.List;

/**
 * The releases and renewals of one limit that go to the mailboxes of other nodes, and how much this node's own mailbox
 * holds. The lock of its {@link PermitLease} guards it.
 */
final class PermitMail {
    /** The most entries that wait to be sent. */
    static final int MOST_OUTBOX = 10_000;

    private static final int MOST_OF_A_REPORT = PermitLevels.MOST_MAIL_OF_A_STEP;

    private final List<Entry> outbox = new ArrayList<>();
    /** Entries that were read, and that the next report removes. */
    private long read;

    private long unread;
    /** How many entries the next report is likely to find. */
    private long likely;

    /** An entry for the mailbox of another node. */
    private record Entry(long node, long text) {}

    /** Queues an entry for the mailbox of {@code node}; returns false if there are too many. */
    boolean send(long node, long entry) {
        return outbox.size() < MOST_OUTBOX && outbox.add(new Entry(node, entry));
    }

    boolean hasToSend() {
        return !outbox.isEmpty();
    }

    /** Whether there is something to send, or to read for certain. */
    boolean isDue() {
        return unread > 0 || hasToSend();
    }

    /** Whether there is something to send or, probably, to read. */
    boolean isExpected() {
        return hasToSend() || unread + likely > 0;
    }

    /** Whether there is more than one report takes. */
    boolean isPlenty() {
        return unread >= MOST_OF_A_REPORT || outbox.size() >= MOST_OF_A_REPORT;
    }

    /** How many entries were read, and can be removed. */
    long read() {
        return read;
    }

    /** Adds to {@code report} what is to be sent, and reads at least {@code least} entries of the mailbox of {@code node}. */
    void addTo(PermitReport report, PermitLease lease, PermitLevels meter, long node, long least) {
        for (int i = 0; i < Math.min(outbox.size(), MOST_OF_A_REPORT); i++) {
            Entry each = outbox.get(i);
            report.add(lease.like(), meter.mailing(each.node, each.text));
        }
        report.mailed = report.checks.size();
        long wanted = Math.max(least, Math.max(unread, likely));
        for (long i = 0; i < Math.min(wanted, MOST_OF_A_REPORT); i++) {
            report.add(lease.like(), meter.reading(node, read + i));
        }
    }

    /** Forgets what was read: the store has removed it, or it is read again. */
    void removed() {
        read = 0;
    }

    /** The first {@code count} entries were sent. */
    void sent(int count) {
        outbox.subList(0, count).clear();
    }

    /** {@code count} more entries were read. */
    void wasRead(long count) {
        read += count;
    }

    /** The store says that the mailbox has {@code size} entries. */
    void holds(long size) {
        unread = Math.max(0, size - read);
    }

    /** A report has read {@code count} entries: the next one probably finds about as many. */
    void expectAfter(long count) {
        likely = Math.max(count + unread, likely / 2);
    }
}
