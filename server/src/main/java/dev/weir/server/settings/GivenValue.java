package dev.weir.server.settings;

/** A value as somebody wrote it, and where: {@code --http-port}, {@code PORT}, {@code weir.yaml:3:12: http_port}. */
record GivenValue(String text, String where) {}
