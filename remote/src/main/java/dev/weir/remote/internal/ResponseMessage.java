package dev.weir.remote.internal;

import dev.weir.internal.model.Ban;
import dev.weir.internal.model.BanKind;
import dev.weir.internal.model.MutableDecision;
import dev.weir.internal.model.TakenPermits;
import dev.weir.internal.model.VerdictText;
import dev.weir.internal.model.VerdictText.Policy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Reads a {@code RateLimitResponse}: the code, and the decision in {@code dynamic_metadata.weir}. It keeps the rules that
 * it has read, so that most verdicts of a rule share one object. Thread-safe.
 */
final class ResponseMessage {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int BYTES = 2;
    private static final int FIXED32 = 5;

    private static final int CODE = 1 << 3 | VARINT;
    private static final int METADATA = 6 << 3 | BYTES;
    private static final int MEMBER = 1 << 3 | BYTES;
    private static final int NAME = 1 << 3 | BYTES;
    private static final int VALUE = 2 << 3 | BYTES;
    private static final int NUMBER = 2 << 3 | FIXED64;
    private static final int TEXT = 3 << 3 | BYTES;
    private static final int STRUCT = 5 << 3 | BYTES;
    private static final int LIST = 6 << 3 | BYTES;
    private static final int LIST_VALUE = 1 << 3 | BYTES;

    private static final int OK = 1;
    /** Rules come and go while this process runs; beyond this many, all are read again. */
    private static final int MOST_POLICIES = 10_000;

    private final Map<String, Map<String, Policy>> policies = new ConcurrentHashMap<>();

    /** Thrown for an answer that is not one of a Weir server. */
    static final class MalformedAnswerException extends Exception {
        MalformedAnswerException(String message) {
            super(message, null, false, false);
        }
    }

    /**
     * An answer.
     *
     * @param leaseMicros how long hits of such a request should last if this process takes them ahead; 0 if it may not
     */
    record ServerAnswer(MutableDecision decision, long leaseMicros) {}

    /** Reads the answer in {@code bytes} to a request to {@code domain}. */
    ServerAnswer read(String domain, byte[] bytes) throws MalformedAnswerException {
        try {
            Parser parser = new Parser(domain, bytes);
            return new ServerAnswer(parser.decision(), (long) parser.leaseMicros);
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            throw new MalformedAnswerException("an answer that cannot be read: " + e.getMessage());
        }
    }

    private Policy policy(String domain, String text) {
        Map<String, Policy> known = policies.computeIfAbsent(domain, ignored -> new ConcurrentHashMap<>());
        Policy policy = known.get(text);
        if (policy == null) {
            if (known.size() >= MOST_POLICIES) {
                known.clear();
            }
            policy = VerdictText.policy(domain, text);
            known.put(text, policy);
        }
        return policy;
    }

    /** A cursor over one answer. */
    private final class Parser {
        private final String domain;
        private final byte[] bytes;
        private int at;
        private int code;
        private boolean weir;
        private double nowMicros;
        private double permits = -1;
        private double leaseMicros;
        private List<String> unenforced = List.of();
        private List<String> verdicts = List.of();
        private @Nullable String counter;
        private @Nullable String bucket;
        private @Nullable String ban;
        private String banReason = "";
        private double banUntil;

        Parser(String domain, byte[] bytes) {
            this.domain = domain;
            this.bytes = bytes;
        }

        MutableDecision decision() throws MalformedAnswerException {
            while (at < bytes.length) {
                int tag = (int) varint();
                switch (tag) {
                    case CODE -> code = (int) varint();
                    case METADATA -> members(length(), false);
                    default -> skip(tag);
                }
            }
            if (!weir) {
                throw new MalformedAnswerException(
                        "an answer without dynamic_metadata.weir (expected: a Weir server, not another rate limit service)");
            }
            MutableDecision decision = new MutableDecision();
            decision.begin((long) nowMicros);
            for (int i = 0; i + 1 < verdicts.size(); i += 2) {
                VerdictText.read(policy(domain, verdicts.get(i)), verdicts.get(i + 1), decision.add());
            }
            decision.end(code == OK);
            if (counter != null) {
                decision.nameCounter(counter, bucket);
            }
            if (permits >= 0) {
                decision.permits(new TakenPermits(List.of(), unenforced, (long) permits));
            }
            if (ban != null) {
                decision.ban(ban(ban));
            }
            return decision;
        }

        private Ban ban(String subject) {
            int equals = subject.indexOf('=');
            return new Ban(
                    code == OK ? BanKind.SHADOW : BanKind.BAN,
                    subject.substring(0, Math.max(0, equals)),
                    subject.substring(equals + 1),
                    "",
                    banUntil == 0 ? Ban.FOREVER : (long) banUntil,
                    banReason,
                    "the server",
                    false);
        }

        /** Reads the members of a struct that ends at {@code end}; only those of {@code weir} matter. */
        private void members(int end, boolean own) {
            while (at < end) {
                int tag = (int) varint();
                if (tag == MEMBER) {
                    member(length(), own);
                } else {
                    skip(tag);
                }
            }
        }

        private void member(int end, boolean own) {
            String name = "";
            while (at < end) {
                int tag = (int) varint();
                switch (tag) {
                    case NAME -> name = text();
                    case VALUE -> value(name, length(), own);
                    default -> skip(tag);
                }
            }
        }

        private void value(String name, int end, boolean own) {
            while (at < end) {
                int tag = (int) varint();
                if (!own && tag == STRUCT && name.equals("weir")) {
                    weir = true;
                    members(length(), true);
                } else if (own && tag == NUMBER) {
                    number(name, fixed64());
                } else if (own && tag == TEXT) {
                    text(name, text());
                } else if (own && tag == LIST) {
                    list(name, length());
                } else {
                    skip(tag);
                }
            }
        }

        private void number(String name, double value) {
            switch (name) {
                case "now_us" -> nowMicros = value;
                case "permit" -> permits = value;
                case "lease_us" -> leaseMicros = value;
                case "ban_until_us" -> banUntil = value;
                default -> {}
            }
        }

        private void text(String name, String value) {
            switch (name) {
                case "counter" -> counter = value;
                case "bucket" -> bucket = value;
                case "ban" -> ban = value;
                case "ban_reason" -> banReason = value;
                default -> {}
            }
        }

        private void list(String name, int end) {
            List<String> texts = new ArrayList<>();
            while (at < end) {
                int tag = (int) varint();
                if (tag != LIST_VALUE) {
                    skip(tag);
                    continue;
                }
                int one = length();
                while (at < one) {
                    int inner = (int) varint();
                    if (inner == TEXT) {
                        texts.add(text());
                    } else {
                        skip(inner);
                    }
                }
            }
            if (name.equals("verdicts")) {
                verdicts = texts;
            } else if (name.equals("unenforced")) {
                unenforced = texts;
            }
        }

        private long varint() {
            long value = 0;
            for (int shift = 0; shift < 64; shift += 7) {
                byte b = bytes[at++];
                value |= (long) (b & 0x7F) << shift;
                if (b >= 0) {
                    return value;
                }
            }
            throw new IllegalArgumentException("a number longer than ten bytes");
        }

        /** Reads a length, and returns where it ends. */
        private int length() {
            long length = varint();
            if (length < 0 || length > bytes.length - at) {
                throw new IllegalArgumentException("a length beyond the end");
            }
            return at + (int) length;
        }

        private String text() {
            int end = length();
            String text = new String(bytes, at, end - at, StandardCharsets.UTF_8);
            at = end;
            return text;
        }

        private double fixed64() {
            long bits = 0;
            for (int i = 0; i < 8; i++) {
                bits |= (bytes[at++] & 0xFFL) << (8 * i);
            }
            return Double.longBitsToDouble(bits);
        }

        private void skip(int tag) {
            switch (tag & 7) {
                case VARINT -> varint();
                case FIXED64 -> at += 8;
                case FIXED32 -> at += 4;
                case BYTES -> at = length();
                default -> throw new IllegalArgumentException("an unknown wire type");
            }
        }
    }
}
