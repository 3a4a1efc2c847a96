package dev.weir.server.rest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.model.HeldPermit;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.SharedStore;
import dev.weir.server.http.HttpProblemException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PermitTokenTest {
    private static final String OLD = "old old old old old old old old old";
    private static final String NEW = "new new new new new new new new new";
    private static final SharedStores STORES = SharedStores.of(Map.of("big", new NoStore()));
    private static final HeldPermit PERMIT =
            new HeldPermit("rule", 0, 1, 2, 77, "permits:api:rule:u=1", 5, 3, 60_000_000, 0);

    private final FleetSecret secret = new FleetSecret(List.of(NEW, OLD));

    @Test
    void whatIsWrittenIsReadAlsoWhileTheSecretIsReplaced() {
        String token = PermitToken.of(List.of(PERMIT, PERMIT), STORES, new FleetSecret(List.of(OLD)), 1);
        assertThat(token).matches("[A-Za-z0-9_.-]+");
        List<HeldPermit> read = PermitToken.read(token, STORES, secret);
        assertThat(read).hasSize(2).allSatisfy(each -> {
            assertThat(each.store()).isZero();
            assertThat(each.subject()).isEqualTo(77);
            assertThat(each.name()).isEqualTo(PERMIT.name());
            assertThat(each.firstId()).isEqualTo(5);
            assertThat(each.count()).isEqualTo(3);
            assertThat(each.ttlMicros()).isEqualTo(60_000_000);
        });
        assertThat(PermitToken.read(PermitToken.of(List.of(), STORES, secret, 1), STORES, secret))
                .isEmpty();
    }

    @Test
    void aPermitThatAServerCountsByItselfNamesThatServer() {
        HeldPermit leased = new HeldPermit("rule", 0, 1, 2, 77, "permits:api:rule:u=1:!levels", 5, 3, 60_000_000, 42);
        String token = PermitToken.of(List.of(leased, PERMIT), STORES, secret, 1);
        assertThat(PermitToken.read(token, STORES, secret))
                .extracting(HeldPermit::node)
                .containsExactly(42L, 0L);
    }

    @Test
    void aPermitOfAnotherVersionOrStoreIsNamedAsSuch() {
        String later = secret.sign("permit", "", 1, "p2 AAAA").replace(' ', '.');
        assertThatThrownBy(() -> PermitToken.read(later, STORES, secret))
                .isInstanceOfSatisfying(HttpProblemException.class, e -> {
                    assertThat(e.status()).isEqualTo(400);
                    assertThat(e.detail()).startsWith("permit: of version p2 (expected: p1");
                });
        String elsewhere = PermitToken.of(List.of(PERMIT), STORES, secret, 1);
        assertThatThrownBy(() -> PermitToken.read(elsewhere, SharedStores.none(), secret))
                .isInstanceOfSatisfying(
                        HttpProblemException.class, e -> assertThat(e.status()).isEqualTo(409));
        String note = secret.sign("switch", "", 1, "p1 AAAA").replace(' ', '.');
        assertThatThrownBy(() -> PermitToken.read(note, STORES, secret))
                .isInstanceOfSatisfying(
                        HttpProblemException.class, e -> assertThat(e.status()).isEqualTo(403));
    }

    /** A store that nobody asks. */
    private static final class NoStore implements SharedStore {
        @Override
        public void decide(Ask ask) {}

        @Override
        public void close() {}
    }
}
