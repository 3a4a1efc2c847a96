package dev.weir.server.memory;

import java.net.SocketAddress;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The budget for bytes that peers make this process hold: unfinished heads, frames and bodies, and answers that they do
 * not read. A request that is read, decided and answered at once is never charged.
 *
 * <p>When a connection, an address or the process exceeds its limit, the budget closes the costliest connections until
 * an eighth of that limit is free again. Among equally costly connections the oldest is closed first: a caller that
 * reads its answer finishes soon, and one that never does grows old.
 *
 * <p>The table of headers, which lives as long as its connection, counts towards every limit, but does not make a
 * connection costly: a well-behaved caller fills one as well. Connections that hold nothing else are closed last, those
 * of the address that holds most first, and of these the newest. So nobody fills the budget with old connections for
 * every newcomer to be closed.
 */
public final class MemoryBudget {
    private static final Comparator<Charged> COSTLIEST_FIRST = Comparator.comparingLong(Charged::unfinished)
            .reversed()
            .thenComparing(Comparator.comparingLong(Charged::lastingOfAddress).reversed())
            .thenComparingLong(each -> each.unfinished > 0 ? each.of.number() : -each.of.number());

    /** The bytes that one peer address holds over all its connections. */
    static final class Address {
        private final String name;
        private final AtomicLong held = new AtomicLong();
        private int connections;

        Address(String name) {
            this.name = name;
        }
    }

    /** A connection and a copy of its charge, which may change while connections are sorted. */
    private record Charged(ConnectionMemory of, long bytes, long unfinished, long ofAddress) {
        /** The bytes that its address holds, if the connection holds nothing but what lives as long as it does. */
        long lastingOfAddress() {
            return unfinished > 0 ? 0 : ofAddress;
        }
    }

    private final MemoryLimits limits;
    private final ClosedConnections closed = new ClosedConnections();
    private final AtomicLong held = new AtomicLong();
    private final AtomicLong opened = new AtomicLong();
    private final Map<String, Address> addresses = new ConcurrentHashMap<>();
    private final Set<ConnectionMemory> connections = ConcurrentHashMap.newKeySet();
    private final ReentrantLock closing = new ReentrantLock();
    private final WaitingMemory waiting;

    public MemoryBudget(MemoryLimits limits) {
        this.limits = limits;
        this.waiting = new WaitingMemory(limits.process() / 3);
    }

    /** The budget for requests whose answers wait; a third of that of the process, and beside it. */
    public WaitingMemory waiting() {
        return waiting;
    }

    public MemoryLimits limits() {
        return limits;
    }

    /** Counts every connection that is refused or closed. */
    public ClosedConnections closed() {
        return closed;
    }

    /** The bytes that are charged now. */
    public long held() {
        return held.get();
    }

    /** Opens the account of a new connection. {@code close} closes it at once; it is called at most once, on any thread. */
    public ConnectionMemory open(@Nullable SocketAddress remote, Runnable close) {
        Address address = addresses.compute(PeerAddress.of(remote), (name, known) -> {
            Address of = known == null ? new Address(name) : known;
            of.connections++;
            return of;
        });
        ConnectionMemory account = new ConnectionMemory(this, address, opened.incrementAndGet(), close);
        connections.add(account);
        return account;
    }

    void forget(ConnectionMemory account) {
        if (connections.remove(account)) {
            addresses.computeIfPresent(
                    account.address().name, (name, known) -> --known.connections == 0 ? null : known);
        }
    }

    void add(Address address, long bytes) {
        address.held.addAndGet(bytes);
        held.addAndGet(bytes);
    }

    void check(ConnectionMemory grown) {
        Address address = grown.address();
        if (grown.charged() > limits.connection()) {
            closeCostliest(CloseReason.CONNECTION_MEMORY, grown::equals, grown::charged, limits.connection());
        } else if (address.held.get() > limits.address()) {
            closeCostliest(
                    CloseReason.ADDRESS_MEMORY,
                    each -> each.address() == address,
                    () -> tooMuch(address.held.get(), limits.address()),
                    limits.address());
        } else if (held.get() > limits.process()) {
            closeCostliest(
                    CloseReason.PROCESS_MEMORY,
                    each -> true,
                    () -> tooMuch(held.get(), limits.process()),
                    limits.process());
        }
    }

    private static long tooMuch(long held, long limit) {
        return held > limit ? held - limit + limit / 8 : 0;
    }

    /** Memory has run out although the budget was kept: frees half of what is charged. */
    public void relieve() {
        closeCostliest(CloseReason.OUT_OF_MEMORY, each -> true, () -> (held.get() + 1) / 2, limits.process());
    }

    /** Closes the costliest of {@code candidates} until {@code tooMuch} bytes are free. */
    private void closeCostliest(
            CloseReason reason, Predicate<ConnectionMemory> candidates, LongSupplier tooMuch, long limit) {
        closing.lock();
        try {
            long bytes = tooMuch.getAsLong();
            if (bytes <= 0) {
                return; // another thread was faster
            }
            List<Charged> order = connections.stream()
                    .filter(candidates)
                    .map(each -> new Charged(
                            each,
                            each.charged(),
                            each.unfinished(),
                            each.address().held.get()))
                    .filter(each -> each.bytes > 0)
                    .sorted(COSTLIEST_FIRST)
                    .toList();
            long freed = 0;
            int count = 0;
            long most = 0;
            String first = "";
            for (Charged each : order) {
                if (freed >= bytes) {
                    break;
                }
                long ended = each.of.end();
                if (ended >= 0) {
                    freed += ended;
                    count++;
                    most = Math.max(most, ended);
                    first = first.isEmpty() ? each.of.address().name : first;
                    each.of.close();
                }
            }
            if (count > 0) {
                closed.add(
                        reason,
                        count,
                        "unfinished requests and unsent answers of " + reason.of() + " exceeded " + (limit >> 10)
                                + " KiB; the costliest held " + (most >> 10) + " KiB and came from " + first);
            }
        } finally {
            closing.unlock();
        }
    }
}
