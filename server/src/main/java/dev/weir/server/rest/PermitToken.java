package dev.weir.server.rest;

import dev.weir.internal.limiter.check.SharedStores;
import dev.weir.internal.model.HeldPermit;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.internal.store.Check;
import dev.weir.server.http.HttpProblemException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Permits as callers hold them: signed text that has all that a server needs to release or renew them. A server with the
 * same secret and the same stores can do so, whatever rules it has.
 *
 * <p><b>Form.</b> The parts of a {@linkplain FleetSecret signed note}, joined by dots. The content is a version, and in
 * base64url the counter, the ids and the time to live of each permit.
 */
final class PermitToken {
    /** The version of the content. */
    private static final String VERSION = "p1";

    private static final String KIND = "permit";
    private static final byte MEMORY = 0;
    private static final byte SHARED = 1;
    /** As {@link #SHARED}, and the node that counts it follows. */
    private static final byte LEASED = 2;

    private static final int PARTS = 6;

    /** Tells the counters in the memory of this process from those of another. */
    private static final long PROCESS = ThreadLocalRandom.current().nextLong();

    private PermitToken() {}

    static String of(List<HeldPermit> held, SharedStores stores, FleetSecret secret, long nowMillis) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            for (HeldPermit each : held) {
                write(each, stores, out);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String content = VERSION + ' ' + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.toByteArray());
        return secret.sign(KIND, "", nowMillis, content).replace(' ', '.');
    }

    private static void write(HeldPermit permit, SharedStores stores, DataOutputStream out) throws IOException {
        if (permit.store() == Check.LOCAL) {
            out.writeByte(MEMORY);
            out.writeLong(PROCESS);
            out.writeLong(permit.key0());
            out.writeLong(permit.key1());
        } else {
            out.writeByte(permit.node() == 0 ? SHARED : LEASED);
            out.writeUTF(stores.name(permit.store()));
            out.writeLong(permit.subject());
            out.writeUTF(permit.name());
        }
        out.writeUTF(permit.rule());
        out.writeLong(permit.firstId());
        out.writeLong(permit.count());
        out.writeLong(permit.ttlMicros());
        if (permit.node() != 0) {
            out.writeLong(permit.node());
        }
    }

    /**
     * Reads the permits of {@code token}.
     *
     * @throws HttpProblemException if it is not a permit of this fleet, or its counters are not within reach
     */
    static List<HeldPermit> read(String token, SharedStores stores, FleetSecret secret) {
        FleetSecret.Note note = FleetSecret.read(secret, KIND, "", token.replace('.', ' '));
        String[] content = note.content().split(" ", -1);
        switch (note.trust()) {
            case VERIFIED -> {}
            case UNSIGNED -> throw unreadable(token);
            case FORGED ->
                throw HttpProblemException.forbidden(
                        "permit: its signature is wrong (expected: a permit as acquire" + " answered it, unchanged)");
            case OTHER_SECRET ->
                throw HttpProblemException.forbidden("permit: signed with another secret (expected: a permit of this"
                        + " fleet; give all servers the same fleet_secret)");
        }
        if (!content[0].equals(VERSION) || content.length != 2) {
            throw HttpProblemException.badRequest("permit: of version " + shown(content[0]) + " (expected: " + VERSION
                    + "; a server of that version can release it, and its permit_ttl ends it)");
        }
        List<HeldPermit> held = new ArrayList<>();
        try (DataInputStream in = new DataInputStream(
                new ByteArrayInputStream(Base64.getUrlDecoder().decode(content[1])))) {
            while (in.available() > 0) {
                held.add(read(in, stores));
            }
        } catch (IOException | IllegalArgumentException e) {
            throw unreadable(token);
        }
        return held;
    }

    private static HeldPermit read(DataInputStream in, SharedStores stores) throws IOException {
        int store = Check.LOCAL;
        long subject = 0;
        String name = "";
        long key0;
        long key1;
        byte kind = in.readByte();
        if (kind == MEMORY) {
            if (in.readLong() != PROCESS) {
                throw HttpProblemException.conflict("permit: counted in the memory of another process (expected: one of"
                        + " this process; it was restarted, or another server answered acquire)");
            }
            key0 = in.readLong();
            key1 = in.readLong();
        } else {
            store = place(in.readUTF(), stores);
            subject = in.readLong();
            name = in.readUTF();
            key0 = subject;
            key1 = name.hashCode();
        }
        return new HeldPermit(
                in.readUTF(),
                store,
                key0,
                key1,
                subject,
                name,
                in.readLong(),
                in.readLong(),
                in.readLong(),
                kind == LEASED ? in.readLong() : 0);
    }

    private static int place(String store, SharedStores stores) {
        try {
            int place = stores.place(store);
            if (place != Check.LOCAL) {
                return place;
            }
        } catch (IllegalArgumentException e) {
            throw HttpProblemException.conflict("permit: " + e.getMessage());
        }
        throw HttpProblemException.conflict("permit: counted in store " + store + ", which this server does not have");
    }

    private static HttpProblemException unreadable(String token) {
        String hint = token.split("\\.", -1).length == PARTS ? "" : ", which has " + PARTS + " parts joined by dots";
        return HttpProblemException.badRequest(
                "permit: not a permit (expected: the text that acquire answered as" + " permit" + hint + ")");
    }

    private static String shown(String version) {
        return version.length() > 8 ? version.substring(0, 8) + "…" : version;
    }
}
