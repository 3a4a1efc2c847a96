package dev.weir.internal.match;

import dev.weir.Request;

/** The compiled rules of one domain, in either format. */
public interface Domain {

    /** Adds the matches of {@code request} in this domain. */
    void match(Request request, Matches into);
}
