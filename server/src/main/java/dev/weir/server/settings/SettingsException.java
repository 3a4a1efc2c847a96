package dev.weir.server.settings;

import java.util.List;

/** Reports invalid settings; the message names each with its source and value. */
public final class SettingsException extends Exception {

    public SettingsException(List<String> problems) {
        super(String.join(System.lineSeparator(), problems));
    }
}
