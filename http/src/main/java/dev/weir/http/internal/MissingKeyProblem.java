package dev.weir.http.internal;

/** The problem of a call that does not say whose it is, on a route where it must. */
public final class MissingKeyProblem {
    public static final int STATUS = 403;

    private MissingKeyProblem() {}

    /** The document, which names the header that is missing or empty. */
    public static byte[] of(String header) {
        JsonObjectWriter json = new JsonObjectWriter();
        json.writeStringField("type", "about:blank");
        json.writeStringField("title", "Forbidden");
        json.writeNumberField("status", STATUS);
        json.writeStringField("detail", "header " + header + ": missing or empty");
        return json.end();
    }
}
