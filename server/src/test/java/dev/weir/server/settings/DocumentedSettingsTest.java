package dev.weir.server.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.server.documentation.DocumentationPages;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** The settings that the documentation tells of are those there are. */
class DocumentedSettingsTest {

    /** If this fails, what is expected is what belongs into the page. */
    @Test
    void theTableHasEverySettingAsTheCommandsHelpTellsIt() {
        String expected = SettingsCatalogue.all().stream()
                .map(setting -> "| `%s` | %s | %s%s |"
                        .formatted(
                                setting.name(),
                                setting.fallback().isEmpty() ? "" : "`" + setting.fallback() + "`",
                                setting.description(),
                                reference(setting)))
                .collect(Collectors.joining("\n"));
        String page = DocumentationPages.read("docs/settings.md");
        assertThat(page.substring(page.indexOf("| `"))).isEqualTo(expected);
    }

    @Test
    void thePageNamesEverythingThatCanBeSaidOfAStore() {
        String line = DocumentationPages.read("docs/settings.md")
                .lines()
                .filter(each -> each.startsWith("`stores`"))
                .findFirst()
                .orElseThrow();
        assertThat(DocumentationPages.spans(line)).containsAll(StoreEntries.names());
    }

    private static String reference(Setting<?> setting) {
        if (setting.reference() == null) {
            return "";
        }
        return (setting.inverted() ? " Opposite of `" : " Also `") + setting.reference() + "`.";
    }

    @Test
    void whatOtherPagesTellOfSettingsIsAboutSettingsThatExist() {
        Set<String> known = SettingsCatalogue.all().stream().map(Setting::name).collect(Collectors.toSet());
        assertThat(DocumentationPages.firstCells("setting"))
                .allSatisfy(cell -> assertThat(known).containsAll(DocumentationPages.spans(cell.text())));
    }

    @Test
    void theVariablesThatAreSaidToDoNothingAreThoseThatDoNothing() {
        String page = DocumentationPages.read("docs/envoy.md");
        String section = page.substring(page.indexOf("## Variables that do nothing"));
        Set<String> said = new TreeSet<>(DocumentationPages.spans(section.substring(0, section.indexOf("\n## "))));
        Map<String, String> all = said.stream().collect(Collectors.toMap(name -> name, name -> "1"));
        assertThat(ReferenceVariables.ignored(all)).isEqualTo(said);
        assertThat(said).isEqualTo(new TreeSet<>(ReferenceVariables.IGNORED));
    }
}
