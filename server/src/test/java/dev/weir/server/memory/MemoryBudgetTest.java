package dev.weir.server.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

@SuppressWarnings("AddressSelection") // addresses, not names
class MemoryBudgetTest {
    private final MemoryBudget budget = new MemoryBudget(new MemoryLimits(1_000, 600, 400));
    private final List<String> closed = new ArrayList<>();

    @Test
    void aConnectionThatHoldsTooMuchIsClosed() {
        ConnectionMemory small = open("small", "10.0.0.1");
        ConnectionMemory large = open("large", "10.0.0.1");
        small.holds(10);
        large.holds(400);
        assertThat(closed).isEmpty();
        large.holds(401);
        assertThat(closed).containsExactly("large");
        assertThat(budget.held()).isEqualTo(10);
        assertThat(budget.closed().count(CloseReason.CONNECTION_MEMORY)).isEqualTo(1);
    }

    @Test
    void theCostliestOfAnAddressGoFirst() {
        ConnectionMemory one = open("one", "10.0.0.1");
        ConnectionMemory two = open("two", "10.0.0.1");
        ConnectionMemory other = open("other", "10.0.0.2");
        other.holds(390);
        two.holds(350);
        one.holds(251);
        assertThat(closed).containsExactly("two");
        assertThat(budget.held()).isEqualTo(390 + 251);
        assertThat(budget.closed().count(CloseReason.ADDRESS_MEMORY)).isEqualTo(1);
    }

    @Test
    void theCostliestOfAllGoFirstUntilAnEighthIsFreeAndTheOlderOfTwoThatCostTheSame() {
        ConnectionMemory old = open("old", "10.0.0.1");
        ConnectionMemory young = open("young", "10.0.0.2");
        ConnectionMemory cheap = open("cheap", "10.0.0.3");
        ConnectionMemory last = open("last", "10.0.0.4");
        young.holds(350);
        old.holds(350);
        cheap.holds(100);
        last.holds(201);
        assertThat(closed).containsExactly("old");
        assertThat(budget.held()).isEqualTo(651);
        assertThat(budget.closed().count(CloseReason.PROCESS_MEMORY)).isEqualTo(1);
    }

    @Test
    void whatLivesAsLongAsItsConnectionMakesNoneCostly() {
        ConnectionMemory old = open("old", "10.0.0.1");
        ConnectionMemory young = open("young", "10.0.0.2");
        ConnectionMemory unfinished = open("unfinished", "10.0.0.3");
        ConnectionMemory newest = open("newest", "10.0.0.4");
        old.holds(0, 300);
        young.holds(0, 300);
        unfinished.holds(130, 0);
        newest.holds(1, 270);
        assertThat(closed).containsExactly("unfinished");
        newest.holds(0, 300);
        open("another", "10.0.0.5").holds(0, 101);
        assertThat(closed).containsExactly("unfinished", "newest");
        assertThat(budget.held()).isEqualTo(701);
    }

    /** Otherwise two addresses fill the budget with old connections, and every newcomer is closed. */
    @Test
    void ofConnectionsThatHoldNothingElseThoseOfTheAddressThatHoldsMostAreClosedFirst() {
        ConnectionMemory one = open("one", "10.0.0.1");
        ConnectionMemory another = open("another", "10.0.0.1");
        ConnectionMemory less = open("less", "10.0.0.2");
        one.holds(0, 250);
        another.holds(0, 250);
        less.holds(0, 390);
        assertThat(closed).isEmpty();
        open("newcomer", "10.0.0.3").holds(0, 120);
        assertThat(closed).containsExactly("another");
        assertThat(budget.held()).isEqualTo(760);
    }

    @Test
    void aFailureToCloseOneIsNotTheFailureOfAnother() {
        ConnectionMemory broken = budget.open(new InetSocketAddress("10.0.0.1", 1), () -> {
            throw new IllegalStateException("cannot be closed");
        });
        ConnectionMemory other = open("other", "10.0.0.1");
        broken.holds(390);
        other.holds(300);
        assertThat(closed).isEmpty();
        assertThat(budget.held()).isEqualTo(300);
    }

    @Test
    void whatIsClosedIsNoLongerChargedWhateverItStillReports() {
        ConnectionMemory large = open("large", "10.0.0.1");
        large.holds(500);
        large.holds(300);
        large.closed();
        assertThat(budget.held()).isZero();
        assertThat(closed).containsExactly("large");
    }

    @Test
    void hostsOfOneIpv6NetworkAreOneAddress() {
        assertThat(PeerAddress.of(new InetSocketAddress("2001:db8:1:2:3::1", 1)))
                .isEqualTo(PeerAddress.of(new InetSocketAddress("2001:db8:1:2:ffff::9", 2)))
                .isNotEqualTo(PeerAddress.of(new InetSocketAddress("2001:db8:1:3::1", 1)));
    }

    @Test
    void limitsFollowTheMemoryThatThereIs() {
        assertThat(MemoryLimits.of(64L << 20)).isEqualTo(new MemoryLimits(64L << 20, 32L << 20, 8L << 20));
        assertThat(MemoryLimits.of(1)).isEqualTo(new MemoryLimits(16L << 20, 8L << 20, 8L << 20));
    }

    @Test
    void anExhaustedHeapEndsTheProcessAtOnce() {
        List<String> ended = new ArrayList<>();
        OutOfMemory outOfMemory = new OutOfMemory(budget, () -> 0, ended::add);
        outOfMemory.look(new IllegalStateException("no memory at all", new RuntimeException()));
        assertThat(ended).isEmpty();
        outOfMemory.look(new IllegalStateException(new OutOfMemoryError("Java heap space")));
        assertThat(ended).containsExactly("the heap is exhausted: Java heap space");
    }

    @Test
    void withoutDirectMemoryConnectionsCloseAndTheProcessEndsOnlyIfNoneHoldsIt() {
        List<String> ended = new ArrayList<>();
        AtomicLong seconds = new AtomicLong();
        OutOfMemory outOfMemory = new OutOfMemory(budget, () -> seconds.get() * 1_000_000_000L, ended::add);
        OutOfMemoryError gone = new OutOfMemoryError("Cannot reserve 10 bytes of direct buffer memory");
        open("large", "10.0.0.1").holds(390);
        outOfMemory.look(gone);
        assertThat(closed).containsExactly("large");
        for (int i = 0; i <= 11; i++) {
            assertThat(ended).isEmpty();
            outOfMemory.look(gone);
            seconds.incrementAndGet();
        }
        assertThat(ended).singleElement().asString().contains("direct memory is exhausted");
    }

    private ConnectionMemory open(String name, String address) {
        return budget.open(new InetSocketAddress(address, 1), () -> closed.add(name));
    }
}
