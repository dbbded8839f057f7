package io.asynq4j.benchmarks.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DocSectionTest {

  @TempDir Path directory;

  private Path document(String text) throws IOException {
    return Files.writeString(directory.resolve("page.md"), text);
  }

  @Test
  void onlyTheTextBetweenTheMarkersIsReplaced() throws IOException {
    Path page = document("before\n<!-- drain -->\nold\nlines\n<!-- /drain -->\nafter\n");

    DocSection.of(page, "drain").replace("new\n");

    assertThat(page).hasContent("before\n<!-- drain -->\n\nnew\n\n<!-- /drain -->\nafter\n");
  }

  @Test
  void concurrentEditsElsewhereInTheDocumentAreKept() throws IOException {
    Path page = document("<!-- drain -->\n<!-- /drain -->\nafter\n");
    DocSection section = DocSection.of(page, "drain");
    document("edited\n<!-- drain -->\n<!-- /drain -->\nafter\n");

    section.replace("new");

    assertThat(page).hasContent("edited\n<!-- drain -->\n\nnew\n\n<!-- /drain -->\nafter\n");
  }

  @Test
  void aDocumentWithoutTheMarkersIsRefusedBeforeAnythingIsMeasured() throws IOException {
    Path page = document("<!-- enqueue -->\n<!-- /enqueue -->\n");

    assertThatThrownBy(() -> DocSection.of(page, "drain"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("page.md")
        .hasMessageContaining("<!-- drain -->")
        .hasMessageContaining("add them");
    assertThatThrownBy(() -> DocSection.of(directory.resolve("none.md"), "drain"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("none.md is not a file");
  }
}
