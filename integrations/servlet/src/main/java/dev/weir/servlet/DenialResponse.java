package dev.weir.servlet;

import dev.weir.http.LimitedCall;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Writes the response of a call that may not pass. Its status and headers are set already. */
@FunctionalInterface
public interface DenialResponse {

    /** Writes the problem document of the denial. */
    DenialResponse PROBLEM = (denied, request, response) -> {
        byte[] body = denied.body();
        response.setContentType(LimitedCall.PROBLEM);
        response.setContentLength(body.length);
        response.getOutputStream().write(body);
    };

    /** Writes the body. */
    void write(LimitedCall denied, HttpServletRequest request, HttpServletResponse response) throws IOException;
}
