package dev.weir.http.internal;

import dev.weir.Cause;

/** The problem of a call that the worker shedder refused before any rule was asked. */
public final class ShedProblem {
    private ShedProblem() {}

    /** The document, which asks the caller to come back after {@code retryAfterSeconds}. */
    public static byte[] of(long retryAfterSeconds) {
        JsonObjectWriter json = new JsonObjectWriter();
        json.writeStringField("type", DenialProblem.type(Cause.CAPACITY));
        json.writeStringField("title", DenialProblem.title(Cause.CAPACITY));
        json.writeNumberField("status", Cause.CAPACITY.status());
        json.writeStringField("detail", "this process is overloaded and sheds load");
        json.writeNumberField("retry_after", retryAfterSeconds);
        return json.end();
    }
}
