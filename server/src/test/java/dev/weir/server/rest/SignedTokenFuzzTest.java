package dev.weir.server.rest;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.code_intelligence.jazzer.mutation.annotation.NotNull;
import dev.weir.Request;
import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.model.HeldHits;
import dev.weir.internal.model.HeldPermit;
import dev.weir.internal.model.HeldRequest;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.store.Ask;
import dev.weir.internal.store.SharedStore;
import dev.weir.server.http.HttpProblemException;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Permits and holds that callers send: any text, and any content under a valid signature, which a server of another
 * version may have written. What is wrong is refused as the caller's mistake, and what is read is written alike.
 */
class SignedTokenFuzzTest {
    private static final FleetSecret SECRET = new FleetSecret(List.of("0123456789abcdef0123456789abcdef"));
    private static final SharedStores STORES = SharedStores.of(Map.of("big", new NoStore()));

    @FuzzTest(maxDuration = "30s")
    @ValueSource(strings = {".....", "w1.a.b.c.d.e", "p1 AAAA", "1.0.AAAA.BBBB.p1.AAAA", "\u00e9.\ud83d.\n"})
    void noTextButASignedOneIsAPermit(@NotNull String text) {
        refused(() -> PermitToken.read(text, STORES, SECRET));
    }

    @FuzzTest(maxDuration = "30s")
    @ValueSource(strings = {".....", "w1.a.b.c.d.e", "h1 AAAA", "1.0.AAAA.BBBB.h1.AAAA", "\u00e9.\ud83d.\n"})
    void noTextButASignedOneIsAHold(@NotNull String text) {
        refused(() -> HoldToken.read(text, SECRET));
    }

    @FuzzTest(maxDuration = "30s")
    @MethodSource("permits")
    void aSignedPermitIsReadOrRefused(byte @NotNull [] content) {
        List<HeldPermit> held;
        try {
            held = PermitToken.read(signed("permit", "p1", content), STORES, SECRET);
        } catch (HttpProblemException e) {
            return;
        }
        List<HeldPermit> again = PermitToken.read(PermitToken.of(held, STORES, SECRET, 1), STORES, SECRET);
        require(held.equals(again), "written differently: " + held);
    }

    @FuzzTest(maxDuration = "30s")
    @MethodSource("holds")
    void aSignedHoldIsReadOrRefused(byte @NotNull [] content) {
        HeldRequest held;
        try {
            held = HoldToken.read(signed("hold", "h1", content), SECRET);
        } catch (HttpProblemException e) {
            return;
        }
        HeldRequest again = HoldToken.read(HoldToken.of(held, SECRET, 1), SECRET);
        require(held.held().equals(again.held()), "written differently: " + held);
        require(held.request().toString().equals(again.request().toString()), "another request: " + held.request());
    }

    @FuzzTest(maxDuration = "30s")
    @ValueSource(strings = {"p1 AAAA", "p1 !", "p1 A", "p1", "h1 =", "h1 AAAA AAAA"})
    void signedTextThatIsNoContentIsRefused(@NotNull String text) {
        String permit = SECRET.sign("permit", "", 1, text).replace(' ', '.');
        String hold = SECRET.sign("hold", "", 1, text).replace(' ', '.');
        readOrRefused(() -> PermitToken.read(permit, STORES, SECRET));
        readOrRefused(() -> HoldToken.read(hold, SECRET));
    }

    static Stream<byte[]> permits() {
        HeldPermit shared = new HeldPermit("rule", 0, 1, 2, 77, "permits:api:rule:u=1", 5, 3, 60_000_000, 0);
        HeldPermit leased = new HeldPermit("rule", 0, 1, 2, 77, "permits:api:rule:u=1:!levels", 5, 3, 60_000_000, 42);
        return Stream.of(List.of(shared), List.of(leased, shared), List.<HeldPermit>of())
                .map(each -> content(PermitToken.of(each, STORES, SECRET, 1)));
    }

    static Stream<byte[]> holds() {
        Request request = Request.to("llm").with("user", "\u00fc").asAttributes();
        HeldRequest hold = new HeldRequest(1, 2, 3, true, 4, request, List.of(new HeldHits("r", 0, 5, 6, 7)));
        return Stream.of(content(HoldToken.of(hold, SECRET, 1)));
    }

    /** The bytes in a token. */
    private static byte[] content(String token) {
        return Base64.getUrlDecoder().decode(token.substring(token.lastIndexOf('.') + 1));
    }

    private static String signed(String kind, String version, byte[] content) {
        String text = version + ' ' + Base64.getUrlEncoder().withoutPadding().encodeToString(content);
        return SECRET.sign(kind, "", 1, text).replace(' ', '.');
    }

    private static void refused(Runnable read) {
        try {
            read.run();
        } catch (HttpProblemException e) {
            return;
        }
        throw new AssertionError("read without a signature");
    }

    private static void readOrRefused(Runnable read) {
        try {
            read.run();
        } catch (HttpProblemException e) {
            require(e.status() < 500, "the server's fault: " + e.status());
        }
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    /** A store that nobody asks. */
    private static final class NoStore implements SharedStore {
        @Override
        public void decide(Ask ask) {}

        @Override
        public void close() {}
    }
}
