/**
 * @module Java and other languages of the Java virtual machine: one jar, built by Maven or Gradle.
 */
import type { ProjectReader } from "../frameworks/types.ts";
import { BUILT, firstThere } from "./parts.ts";
import type { Language, LanguagePlan } from "./types.ts";

const JAR = "app.jar";

/** The heap can use half of the server's memory. */
const RUN = 'exec java -XX:MaxRAM="${SVC_MEMORY_MB}m" -XX:MaxRAMPercentage=50';

const MEMORY_MB = 512;

/** Settings for the address that each framework listens on. */
const LISTEN: readonly (readonly [string, string])[] = [
  ["spring-boot", 'SERVER_PORT="$PORT" SERVER_ADDRESS="$HOST"'],
  ["quarkus", 'QUARKUS_HTTP_PORT="$PORT" QUARKUS_HTTP_HOST="$HOST"'],
  ["micronaut", 'MICRONAUT_SERVER_PORT="$PORT" MICRONAUT_SERVER_HOST="$HOST"'],
];

interface Tool {
  readonly id: string;
  readonly wrapper: string;
  readonly program: string;
  readonly args: string;
  /** Folder where the build creates jars. */
  readonly jars: string;
}

const MAVEN: Tool = {
  id: "maven",
  wrapper: "mvnw",
  program: "mvn",
  args: "-B -q -DskipTests package",
  jars: "target",
};

const GRADLE: Tool = {
  id: "gradle",
  wrapper: "gradlew",
  program: "gradle",
  args: "--no-daemon -q assemble",
  jars: "build/libs",
};

/**
 * Returns the command that copies the runnable jar, ignoring jars without dependencies and jars
 * that contain sources or documentation.
 */
const takeJar = (folder: string): string =>
  `mkdir -p ${BUILT} && cp "$(ls -S ${folder}/*.jar | ` +
  `grep -v -e /original- -e -plain.jar -e -sources.jar -e -javadoc.jar -e -tests.jar | head -1)" ` +
  `${BUILT}/${JAR}`;

async function planOf(
  reader: ProjectReader,
  { tool, file, text }: { readonly tool: Tool; readonly file: string; readonly text: string },
): Promise<LanguagePlan> {
  const isWrapped = await reader.exists(tool.wrapper);
  const build = `${isWrapped ? `sh ./${tool.wrapper}` : tool.program} ${tool.args}`;
  const framework = LISTEN.find(([name]) => text.includes(name));
  const listen = framework === undefined ? "" : `${framework[1]} `;
  const toolchains = isWrapped ? ["java"] : ["java", tool.id];
  const reason = `${file} builds a program for the JVM`;
  if (framework?.[0] === "quarkus") {
    return {
      reason,
      toolchains,
      build,
      memoryMb: MEMORY_MB,
      start: `${listen}${RUN} -jar quarkus-app/quarkus-run.jar`,
      entry: "quarkus-app/quarkus-run.jar",
      placements: [{
        from: tool === MAVEN ? "target/quarkus-app" : "build/quarkus-app",
        to: "quarkus-app",
      }],
    };
  }
  return {
    reason,
    toolchains,
    memoryMb: MEMORY_MB,
    build: `${build} && ${takeJar(tool.jars)}`,
    start: `${listen}${RUN} -jar ${JAR}`,
    entry: JAR,
    placements: [{ from: `${BUILT}/${JAR}`, to: JAR }],
  };
}

const FILES = ["pom.xml", "build.gradle", "build.gradle.kts"] as const;

export const java: Language = {
  id: "java",
  name: "Java",
  files: FILES,
  async plan(reader) {
    const file = await firstThere(reader, FILES);
    if (file === undefined) return undefined;
    const text = await reader.readText(file) ?? "";
    return await planOf(reader, { tool: file === "pom.xml" ? MAVEN : GRADLE, file, text });
  },
};
