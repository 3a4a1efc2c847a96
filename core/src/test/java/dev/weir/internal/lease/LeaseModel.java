package dev.weir.internal.lease;

import dev.weir.Algorithm;
import dev.weir.Limit;
import dev.weir.internal.algorithm.Meters;
import dev.weir.internal.algorithm.Outcome;
import dev.weir.internal.algorithm.SlotMeter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The lease protocol with all that can go wrong, one step at a time: a store that counts with a real meter, and nodes that hold real
 * {@link Lease}s. Asks and replies take as long as they like or are lost; nodes stop and go on, shut down and die; what is sent back
 * arrives within its travel time or not at all.
 */
final class LeaseModel {
    /** The mistakes that a test plants in a node, to see that the exploration finds them. */
    enum Bug {
        NONE,
        /** Spends what has expired. */
        NO_EXPIRY,
        /** Gives back whatever the window. */
        LATE_RETURN,
        /** Gives back and keeps. */
        DOUBLE_RETURN,
        /** Starts a lease's clock when the answer comes. */
        CLOCK_FROM_ANSWER
    }

    static final long SECOND = 1_000_000_000;
    private static final long TRAVEL = SECOND;
    private static final long TTL = 2 * SECOND;
    private static final long SIZE = 2;

    /** A lease as plain numbers. */
    record Held(long hits, long left, long expires, long returnable) {
        static Held of(Lease lease, boolean closed) {
            return new Held(lease.hits(), closed ? Lease.CLOSED : lease.left(), lease.expires(), lease.returnable());
        }

        Lease lease() {
            return new Lease(hits, left, expires, returnable);
        }
    }

    /** An ask for a lease: not yet at the store, or on its way back with what it was granted. */
    record Fetch(long asked, boolean atStore, long granted, long reset) {}

    /** A node; {@code inHand} is a hit that was taken and is not yet decided. */
    record Node(
            boolean alive, @Nullable Held held, @Nullable Fetch fetch, int inHand, int fetches) {}

    /** Hits on their way back, of the window that began at {@code from}. */
    record Return(long hits, long deadline) {}

    /**
     * The whole of it.
     *
     * @param spent hits that passed, in the window of now or in all
     * @param lost of this window: nobody can spend or return them
     */
    record State(long now, long word0, long word1, List<Node> nodes, List<Return> returns, long spent, long lost) {}

    private final SlotMeter meter;
    private final long window;
    private final long end;
    private final int fetches;
    private final Bug bug;
    private final boolean byWindow;
    private boolean countsLosses;
    private boolean undecided = true;

    LeaseModel(Limit limit, long end, int fetches, Bug bug) {
        this.meter = (SlotMeter) Meters.of(limit);
        this.window = limit.windowMicros() * 1_000;
        this.end = end;
        this.fetches = fetches;
        this.bug = bug;
        this.byWindow = limit.algorithm() == Algorithm.FIXED_WINDOW;
    }

    /** Keeps count of what is lost, too: there is more to tell states apart by. */
    LeaseModel countingLosses() {
        countsLosses = true;
        return this;
    }

    /** Decides what it takes in the same step: nothing is put back. */
    LeaseModel decidingAtOnce() {
        undecided = false;
        return this;
    }

    State first(int nodes) {
        List<Node> all = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            all.add(new Node(true, null, null, 0, 0));
        }
        return new State(0, 0, 0, List.copyOf(all), List.of(), 0, 0);
    }

    /** Hits that the store has counted and that still count. */
    long counted(State state) {
        return meter.limit().capacity() - apply(state, 0).remaining;
    }

    private Outcome apply(State state, long hits) {
        Outcome out = new Outcome();
        meter.apply(state.word0, state.word1, state.now / 1_000, hits, false, out);
        return out;
    }

    /** Every state that may come after {@code state}. */
    void next(State state, Consumer<State> to) {
        if (state.now < end) {
            to.accept(tick(state));
        }
        Outcome exact = apply(state, 1);
        if (exact.allowed) {
            to.accept(spent(counted(state, exact), 1));
        }
        for (int i = 0; i < state.nodes.size(); i++) {
            Node node = state.nodes.get(i);
            if (node.alive) {
                ask(state, i, node, to);
                spend(state, i, node, to);
                giveUp(state, i, node, to);
            }
            if (node.fetch != null) {
                travel(state, i, node, node.fetch, to);
            }
        }
        for (int i = 0; i < state.returns.size(); i++) {
            Return each = state.returns.get(i);
            State without = returns(state, removed(state.returns, i));
            to.accept(lose(without, each.hits));
            if (state.now <= each.deadline) {
                to.accept(counted(without, apply(without, -each.hits)));
            }
        }
    }

    private State tick(State s) {
        long now = s.now + SECOND;
        boolean turned = byWindow && now / window != s.now / window;
        return new State(now, s.word0, s.word1, s.nodes, s.returns, turned ? 0 : s.spent, turned ? 0 : s.lost);
    }

    /** Asks for a lease. */
    private void ask(State state, int i, Node node, Consumer<State> to) {
        if (node.fetch == null && node.held == null && node.fetches < fetches) {
            Fetch fetch = new Fetch(state.now, false, 0, 0);
            to.accept(node(state, i, new Node(true, null, fetch, node.inHand, node.fetches + 1)));
        }
    }

    /** Takes a hit from the lease, and decides what was taken: it passes, or goes back. */
    private void spend(State state, int i, Node node, Consumer<State> to) {
        if (node.inHand == 0 && node.held != null) {
            Lease lease = node.held.lease();
            long now = bug == Bug.NO_EXPIRY ? lease.expires() - 1 : state.now;
            if (lease.take(1, now)) {
                Held left = new Held(lease.hits(), lease.left(), lease.expires(), lease.returnable());
                to.accept(spent(node(state, i, new Node(true, left, node.fetch, undecided ? 1 : 0, node.fetches)), 1));
            }
        }
        if (node.inHand > 0) {
            to.accept(node(state, i, new Node(true, node.held, node.fetch, 0, node.fetches)));
            if (node.held != null && state.spent > 0) {
                Lease lease = node.held.lease();
                boolean open = lease.putBack(1);
                Held after = Held.of(lease, !open);
                State put = spent(node(state, i, new Node(true, after, node.fetch, 0, node.fetches)), -1);
                to.accept(open ? put : sendBack(put, lease, 1));
            }
        }
    }

    /** Expiry, shutdown, and death. */
    private void giveUp(State state, int i, Node node, Consumer<State> to) {
        if (node.held != null && node.held.left != Lease.CLOSED) {
            Lease lease = node.held.lease();
            boolean expired = lease.isExpired(state.now);
            long left = lease.close();
            Held closed = bug == Bug.DOUBLE_RETURN ? node.held : Held.of(lease, true);
            State ended = node(state, i, new Node(true, closed, node.fetch, node.inHand, node.fetches));
            to.accept(sendBack(ended, lease, left)); // on shutdown or on a changed rule, at any time
            if (!expired) {
                to.accept(lose(node(state, i, new Node(false, null, node.fetch, 0, node.fetches)), left));
            }
        } else if (node.held != null && node.inHand == 0) {
            to.accept(node(state, i, new Node(true, null, node.fetch, 0, node.fetches)));
        }
    }

    private State sendBack(State state, Lease lease, long hits) {
        if (hits == 0) {
            return state;
        }
        if (!lease.isReturnable(state.now, TRAVEL) && bug != Bug.LATE_RETURN) {
            return lose(state, hits);
        }
        List<Return> all = new ArrayList<>(state.returns);
        all.add(new Return(hits, state.now + TRAVEL));
        return returns(state, all);
    }

    /** The ask reaches the store, or the reply its node; or neither. */
    private void travel(State state, int i, Node node, Fetch fetch, Consumer<State> to) {
        State without = node(state, i, new Node(node.alive, node.held, null, node.inHand, node.fetches));
        if (!fetch.atStore) {
            to.accept(without);
            long granted = Math.min(SIZE, apply(state, 0).remaining);
            Outcome out = apply(state, granted);
            Fetch back = new Fetch(fetch.asked, true, granted, out.reset);
            to.accept(counted(node(state, i, new Node(node.alive, node.held, back, node.inHand, node.fetches)), out));
            return;
        }
        to.accept(lose(without, fetch.granted));
        if (node.alive && node.held == null && fetch.granted > 0) {
            Outcome out = new Outcome();
            out.reset = fetch.reset;
            long from = bug == Bug.CLOCK_FROM_ANSWER ? state.now : fetch.asked;
            Lease lease = Lease.of(meter, fetch.granted, out, from, from, TTL);
            to.accept(node(state, i, new Node(true, Held.of(lease, false), null, node.inHand, node.fetches)));
        }
    }

    private static State counted(State s, Outcome out) {
        return new State(s.now, out.state0, out.state1, s.nodes, s.returns, s.spent, s.lost);
    }

    private static State spent(State s, long more) {
        return new State(s.now, s.word0, s.word1, s.nodes, s.returns, s.spent + more, s.lost);
    }

    private State lose(State s, long more) {
        long lost = countsLosses ? s.lost + more : 0;
        return new State(s.now, s.word0, s.word1, s.nodes, s.returns, s.spent, lost);
    }

    private static State node(State s, int i, Node node) {
        List<Node> nodes = new ArrayList<>(s.nodes);
        nodes.set(i, node);
        nodes.sort(Comparator.comparingInt(Node::hashCode)); // which node is which makes no difference
        return new State(s.now, s.word0, s.word1, List.copyOf(nodes), s.returns, s.spent, s.lost);
    }

    private static State returns(State s, List<Return> returns) {
        return new State(s.now, s.word0, s.word1, s.nodes, List.copyOf(returns), s.spent, s.lost);
    }

    private static List<Return> removed(List<Return> all, int index) {
        List<Return> rest = new ArrayList<>(all);
        rest.remove(index);
        return rest;
    }
}
