package dev.weir.control.data;

import com.fasterxml.jackson.core.SerializableString;
import com.fasterxml.jackson.core.io.CharacterEscapes;
import com.fasterxml.jackson.core.io.SerializedString;
import org.jspecify.annotations.Nullable;

/**
 * Escapes the characters that JSON allows unescaped but YAML refuses, or that end a line for some readers. Rules,
 * quotas and switches are read again as YAML.
 */
final class YamlSafeEscapes extends CharacterEscapes {
    private static final long serialVersionUID = 1L;
    private static final int DELETE = 0x7f;

    private final int[] ascii = standardAsciiEscapesForJSON();

    YamlSafeEscapes() {
        ascii[DELETE] = ESCAPE_STANDARD;
    }

    @Override
    public int[] getEscapeCodesForAscii() {
        return ascii.clone();
    }

    @Override
    public @Nullable SerializableString getEscapeSequence(int character) {
        boolean escaped = Character.isISOControl(character)
                || character == '\u2028'
                || character == '\u2029'
                || character == '\ufeff'
                || character >= '\ufffe';
        return escaped ? new SerializedString(String.format("\\u%04X", character)) : null;
    }
}
