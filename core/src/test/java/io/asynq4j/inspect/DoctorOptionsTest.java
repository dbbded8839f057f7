package io.asynq4j.inspect;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.asynq4j.internal.doctor.ScanPosition;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DoctorOptionsTest {

  @Test
  void aDryRunThatIsToDeleteIsRefused() {
    assertThatThrownBy(() -> DoctorOptions.dryRun().trimArchives().build())
        .hasMessageContaining("DoctorOptions.repair()");
    assertThatThrownBy(() -> DoctorOptions.dryRun().removeUnreadable().build())
        .hasMessageContaining("DoctorOptions.repair()");
  }

  @Test
  void invalidInputIsRejectedWithTheValue() {
    assertThatThrownBy(() -> DoctorOptions.repair().archiveLimits(-1, Duration.ofDays(1)).build())
        .hasMessageContaining("-1");
    assertThatThrownBy(() -> DoctorOptions.repair().archiveLimits(1, Duration.ZERO).build())
        .hasMessageContaining("PT0S");
    assertThatThrownBy(() -> DoctorOptions.repair().sampleSize(-2).build())
        .hasMessageContaining("-2");
    assertThatThrownBy(() -> DoctorOptions.repair().lookAgainAfter(Duration.ofSeconds(-3)).build())
        .hasMessageContaining("PT-3S");
    assertThatThrownBy(() -> DoctorOptions.repair().resumeFrom("nowhere").build())
        .hasMessageContainingAll("nowhere", "Diagnosis.resumeFrom()");
  }

  @Test
  void aPlaceIsFoundAgainWhateverTheQueueIsCalled() {
    ScanPosition place = new ScanPosition(ScanPosition.Step.CONTAINERS, "a\nb }: c", "retry", "17");

    assertThat(ScanPosition.parse(place.text())).isEqualTo(place);
    assertThat(ScanPosition.parse(null)).isNull();
  }

  @Test
  void everyFindingIsInTheGuideWithItsWord() throws IOException {
    String guide = Files.readString(Path.of("../docs/guides/doctor.md"));
    assertThat(FindingKind.ID_WITHOUT_RECORD.word()).isEqualTo("id-without-record");
    for (FindingKind kind : FindingKind.values()) {
      assertThat(guide)
          .contains(
              "| `%s` | %s | %s | %s |"
                  .formatted(kind.word(), kind.what(), kind.why(), kind.repair()));
    }
  }
}
