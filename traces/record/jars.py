"""A release's jars: from Maven into a cache, or from the folder of an unpacked Kafka."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

from .errors import RecordError
from .releases import Line

_POM = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>isrproof</groupId>
  <artifactId>recorded-kafka</artifactId>
  <version>{version}</version>
  <packaging>pom</packaging>
  <dependencies>
{dependencies}
  </dependencies>
</project>
"""
# Not both log4j 1.2 and reload4j, which has the same classes.
_DEPENDENCY = """    <dependency>
      <groupId>{group}</groupId><artifactId>{artifact}</artifactId><version>{version}</version>
      <exclusions><exclusion><groupId>log4j</groupId><artifactId>log4j</artifactId></exclusion></exclusions>
    </dependency>"""


def pom(line: Line, version: str) -> str:
    """Return the Maven project whose dependencies are the release's jars, with the changes of its row."""
    dependencies = []
    for coordinate in line.coordinates(version):
        group, artifact, of = coordinate.split(":")
        dependencies.append(_DEPENDENCY.format(group=escape(group), artifact=escape(artifact), version=escape(of)))
    return _POM.format(version=escape(version), dependencies="\n".join(dependencies))


def cache_folder() -> Path:
    """Return the folder of jars between runs: $XDG_CACHE_HOME or ~/.cache, then isrproof/kafka."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "isrproof" / "kafka"


def jars(line: Line, version: str, cache: Path | None = None) -> Path:
    """Return the folder of the release's jars, requested from Maven once and then cached. Raises RecordError."""
    folder = (cache or cache_folder()) / version
    if folder.is_dir():
        return folder
    maven = shutil.which("mvn")
    if maven is None:
        raise RecordError(
            f"Maven (`mvn`) is not on PATH, and the jars of Kafka {version} are not cached. Install Maven, or "
            "pass the folder of an unpacked Kafka with --kafka-home."
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{version}-") as name:
        making = Path(name)
        (making / "pom.xml").write_text(pom(line, version), encoding="utf-8")
        command = [maven, "-q", "-B", "-f", str(making / "pom.xml"), "dependency:copy-dependencies"]
        done = subprocess.run(
            [*command, f"-DoutputDirectory={making / 'jars'}", "-DincludeScope=runtime"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
        )
        if done.returncode or not (making / "jars").is_dir():
            output = "\n".join(f"  {row}" for row in (done.stdout + done.stderr).splitlines()[-12:])
            raise RecordError(f"Maven could not fetch the jars of Kafka {version}:\n{output}")
        shutil.copy(making / "pom.xml", making / "jars")
        # Another process may have put them there meanwhile: its jars are as good.
        if not folder.exists():
            (making / "jars").rename(folder)
    return folder


def jars_of_home(home: Path, version: str) -> Path:
    """Return the folder of the jars of an unpacked Kafka; RecordError unless it is one, of this version."""
    libs = home / "libs" if (home / "libs").is_dir() else home
    found = version_in(libs)
    if found is None:
        raise RecordError(f"{home} is not an unpacked Kafka: expected libs/kafka_SCALA-VERSION.jar in it.")
    if found != version:
        raise RecordError(f"{home} contains Kafka {found}, but --kafka asks for {version}.")
    return libs


def version_in(libs: Path, artifact: str = r"kafka_2\.\d+") -> str | None:
    """Return the version in the name of a jar of the folder, e.g. kafka_2.12-2.0.0.jar -> 2.0.0."""
    for jar in sorted(libs.glob("*.jar")):
        match = re.fullmatch(rf"{artifact}-(\d+(?:\.\d+)*)\.jar", jar.name)
        if match:
            return match[1]
    return None
