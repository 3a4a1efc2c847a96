package dev.weir.server.command;

import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Renames the server's errors about a body that the command made of its flags: {@code body:1:81: expires_at: 'x'}
 * becomes {@code --expires: 'x'}. Whoever typed flags has never seen the body.
 */
final class FlagErrors {
    private static final Pattern AT = Pattern.compile("(?m)^( *)body:\\d+:\\d+: (.*)$");

    private static final Pattern WORD = Pattern.compile("\\w+");

    private FlagErrors() {}

    /** Renames the errors in {@code message}; {@code flags} has the flag of each member of the body. */
    static String rename(String message, Map<String, String> flags) {
        return AT.matcher(message)
                .replaceAll(found -> Matcher.quoteReplacement(found.group(1) + flag(found.group(2), flags)));
    }

    /** Names the flag of the member that {@code error} mentions first. */
    private static String flag(String error, Map<String, String> flags) {
        Matcher word = WORD.matcher(error.split("['\"(]", 2)[0]);
        while (word.find()) {
            String member = word.group();
            String flag = flags.get(member);
            if (flag != null) {
                boolean leads = error.startsWith(member + ": ");
                return flag + ": " + (leads ? error.substring(member.length() + 2) : error);
            }
        }
        return error;
    }
}
