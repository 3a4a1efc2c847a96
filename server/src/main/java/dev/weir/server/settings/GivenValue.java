package dev.weir.server.settings;

/** A value as it was written, and its place: {@code --http-port}, {@code PORT}, {@code weir.yaml:3:12: http_port}. */
record GivenValue(String text, String where) {}
