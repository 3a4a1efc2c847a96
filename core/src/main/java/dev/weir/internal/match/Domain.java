package dev.weir.internal.match;

import dev.weir.Request;

/** The compiled rules of one domain, in either spelling. */
public interface Domain {

    /** Adds what {@code request} meets here. */
    void match(Request request, Matches into);
}
