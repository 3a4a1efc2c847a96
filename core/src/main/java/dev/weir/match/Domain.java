package dev.weir.match;

import dev.weir.model.Request;

/** The compiled rules of one domain, in either spelling. */
sealed interface Domain permits EnvoyDomain, WeirDomain, LayeredDomain {

    /** Adds what {@code request} meets here. */
    void match(Request request, Matches into);
}
