package dev.weir.spring.internal.web;

import dev.weir.http.LimitedCall;
import dev.weir.http.internal.DecisionAnswer;
import dev.weir.spring.RateLimitedException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;

/**
 * Answers an MVC call during which a method was denied. It stands behind the handlers of the application, and in front of Spring's
 * own, which would answer 500 and log an error.
 */
public final class DenialResolver implements HandlerExceptionResolver, Ordered {
    private final boolean showHeaders;

    public DenialResolver(boolean showHeaders) {
        this.showHeaders = showHeaders;
    }

    @Override
    public int getOrder() {
        return Ordered.LOWEST_PRECEDENCE;
    }

    @Override
    public @Nullable ModelAndView resolveException(
            HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception failure) {
        RateLimitedException denial = Denials.in(failure);
        if (denial == null || response.isCommitted()) {
            return null;
        }
        DecisionAnswer answer = DecisionAnswer.of(denial.decision(), showHeaders);
        List<String> headers = answer.headers();
        for (int i = 0; i < headers.size(); i += 2) {
            response.setHeader(headers.get(i), headers.get(i + 1));
        }
        response.setStatus(answer.status());
        response.setContentType(LimitedCall.PROBLEM);
        response.setContentLength(answer.body().length);
        try {
            response.getOutputStream().write(answer.body());
        } catch (IOException e) {
            return null; // the caller has left
        }
        return new ModelAndView();
    }
}
