package dev.weir.server.rest;

import dev.weir.Request;
import dev.weir.internal.model.HeldHits;
import dev.weir.internal.model.HeldRequest;
import dev.weir.internal.runtime.FleetSecret;
import dev.weir.server.http.CallerText;
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

/**
 * A hold as callers keep it: signed text that has all that a server needs to settle it. A server with the same secret
 * and the same stores can do so.
 *
 * <p><b>Form.</b> The parts of a {@linkplain FleetSecret signed note}, joined by dots. The content is a version, and in
 * base64url the hold.
 */
final class HoldToken {
    /** The version of the content. */
    private static final String VERSION = "h1";

    private static final String KIND = "hold";
    private static final int PARTS = 6;

    private HoldToken() {}

    static String of(HeldRequest hold, FleetSecret secret, long nowMillis) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            write(hold, out);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        String content = VERSION + ' ' + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes.toByteArray());
        return secret.sign(KIND, "", nowMillis, content).replace(' ', '.');
    }

    private static void write(HeldRequest hold, DataOutputStream out) throws IOException {
        out.writeLong(hold.id0());
        out.writeLong(hold.id1());
        out.writeLong(hold.process());
        out.writeBoolean(hold.local());
        out.writeLong(hold.expiryMicros());
        Request request = hold.request();
        out.writeUTF(request.domain());
        out.writeBoolean(request.isAttributes());
        out.writeInt(request.descriptors());
        for (int i = 0; i < request.descriptors(); i++) {
            out.writeInt(request.end(i) - request.start(i));
            for (int entry = request.start(i); entry < request.end(i); entry++) {
                out.writeUTF(request.key(entry));
                out.writeUTF(request.value(entry));
            }
        }
        for (HeldHits each : hold.held()) {
            out.writeUTF(each.rule());
            out.writeInt(each.descriptor());
            out.writeLong(each.hits());
            out.writeLong(each.window());
            out.writeLong(each.untilMicros());
        }
    }

    /**
     * Reads {@code token}.
     *
     * @throws HttpProblemException if it is not a hold of this fleet
     */
    static HeldRequest read(String token, FleetSecret secret) {
        FleetSecret.Note note = FleetSecret.read(secret, KIND, "", token.replace('.', ' '));
        switch (note.trust()) {
            case VERIFIED -> {}
            case UNSIGNED -> throw unreadable(token);
            case FORGED ->
                throw HttpProblemException.forbidden(
                        "hold: its signature is wrong (expected: a hold as reserve answered it, unchanged)");
            case OTHER_SECRET ->
                throw HttpProblemException.forbidden("hold: signed with another secret (expected: a hold of this"
                        + " fleet; give all servers the same fleet_secret)");
        }
        String[] content = note.content().split(" ", -1);
        if (!content[0].equals(VERSION) || content.length != 2) {
            throw HttpProblemException.badRequest("hold: of version " + CallerText.shown(content[0]) + " (expected: "
                    + VERSION + "; a server of that version can settle it, else it stays charged as reserved)");
        }
        try (DataInputStream in = new DataInputStream(
                new ByteArrayInputStream(Base64.getUrlDecoder().decode(content[1])))) {
            return read(in);
        } catch (IOException | IllegalArgumentException e) {
            throw unreadable(token);
        }
    }

    private static HeldRequest read(DataInputStream in) throws IOException {
        long id0 = in.readLong();
        long id1 = in.readLong();
        long process = in.readLong();
        boolean local = in.readBoolean();
        long expiry = in.readLong();
        Request request = Request.to(in.readUTF());
        if (in.readBoolean()) {
            request.asAttributes();
        }
        for (int left = in.readInt(); left > 0; left--) {
            request.descriptor();
            for (int entries = in.readInt(); entries > 0; entries--) {
                request.with(in.readUTF(), in.readUTF());
            }
        }
        List<HeldHits> held = new ArrayList<>();
        while (in.available() > 0) {
            held.add(new HeldHits(in.readUTF(), in.readInt(), in.readLong(), in.readLong(), in.readLong()));
        }
        return new HeldRequest(id0, id1, process, local, expiry, request, held);
    }

    private static HttpProblemException unreadable(String token) {
        int parts = token.split("\\.", -1).length;
        return HttpProblemException.badRequest("hold: not a hold (expected: " + PARTS + " parts joined by dots, as"
                + " reserve answered them, not " + parts + ")");
    }
}
