/** Rules in YAML, for the module {@code dev.weir}. */
@SuppressWarnings("requires-automatic") // RE2/J has no module descriptor
module dev.weir.rules {
    requires transitive dev.weir;
    requires dev.weir.text;
    requires re2j;
    requires static org.jspecify;

    exports dev.weir.rules;
}
