package dev.weir.spring.internal.web;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;

/** Passes calls to the limiting filter, except those to excluded paths. */
public final class ExcludingFilter implements Filter {
    private final Filter limiting;
    private final PathExclusions exclusions;

    public ExcludingFilter(Filter limiting, PathExclusions exclusions) {
        this.limiting = limiting;
        this.exclusions = exclusions;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        if (request instanceof HttpServletRequest http && exclusions.contain(pathOf(http))) {
            chain.doFilter(request, response);
        } else {
            limiting.doFilter(request, response, chain);
        }
    }

    private static String pathOf(HttpServletRequest request) {
        String info = request.getPathInfo();
        return info == null ? request.getServletPath() : request.getServletPath() + info;
    }
}
