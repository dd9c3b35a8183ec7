/**
 * The toolchains of this machine: with what projects in other languages are built, and
 * what their servers may see of it. A row for each.
 *
 * @module
 */
import { inheritedVariables } from "../../lib/child_variables.ts";
import { dirname, join, sep } from "node:path";
import { runProgram } from "../../lib/spawn_program.ts";

/** One toolchain. */
export interface Toolchain {
  readonly id: string;
  readonly name: string;
  /** Programs of which the first that is there is taken. */
  readonly programs: readonly string[];
  /** Arguments that print its version. */
  readonly versionArgs: readonly string[];
  /** How to install it, as a sentence without its end. */
  readonly install: string;
  /** Arguments that print the folder of its installation, where its program may be a script. */
  readonly folderArgs?: readonly string[];
  /** True for one that runs servers, and not only builds them. */
  readonly runs?: boolean;
}

const RUBY_FOLDER = ["-e", 'puts RbConfig::CONFIG["prefix"]'];

export const TOOLCHAINS: readonly Toolchain[] = [
  {
    id: "go",
    name: "Go",
    programs: ["go"],
    versionArgs: ["version"],
    install: 'Install Go from https://go.dev/dl, or with "apt-get install golang-go"',
  },
  {
    id: "rust",
    name: "Rust",
    programs: ["cargo"],
    versionArgs: ["--version"],
    install: 'Install Rust from https://rustup.rs, or with "apt-get install cargo"',
  },
  {
    id: "python",
    name: "Python",
    programs: ["python3"],
    versionArgs: ["--version"],
    install: 'Install Python with "apt-get install python3 python3-venv"',
    folderArgs: ["-c", "import sys; print(sys.base_prefix)"],
    runs: true,
  },
  {
    id: "uv",
    name: "uv",
    programs: ["uv"],
    versionArgs: ["--version"],
    install: 'Install uv from https://docs.astral.sh/uv, or with "pip install uv"',
  },
  {
    id: "ruby",
    name: "Ruby",
    programs: ["ruby"],
    versionArgs: ["--version"],
    install: 'Install Ruby with "apt-get install ruby-full"',
    folderArgs: RUBY_FOLDER,
    runs: true,
  },
  {
    id: "bundler",
    name: "Bundler",
    programs: ["bundle"],
    versionArgs: ["--version"],
    install: 'Install Bundler with "apt-get install bundler", or "gem install bundler"',
  },
  {
    id: "php",
    name: "PHP",
    programs: ["php"],
    versionArgs: ["--version"],
    install: 'Install PHP with "apt-get install php-cli"',
    runs: true,
  },
  {
    id: "composer",
    name: "Composer",
    programs: ["composer"],
    versionArgs: ["--version"],
    install: 'Install Composer from https://getcomposer.org, or with "apt-get install composer"',
  },
  {
    id: "java",
    name: "Java",
    programs: ["java"],
    versionArgs: ["--version"],
    install: 'Install a JDK with "apt-get install default-jdk-headless"',
    runs: true,
  },
  {
    id: "maven",
    name: "Maven",
    programs: ["mvn"],
    versionArgs: ["--version"],
    install: 'Install Maven with "apt-get install maven"',
  },
  {
    id: "gradle",
    name: "Gradle",
    programs: ["gradle"],
    versionArgs: ["--version"],
    install: 'Install Gradle from https://gradle.org, or commit its wrapper ("gradle wrapper")',
  },
  {
    id: "elixir",
    name: "Elixir",
    programs: ["mix"],
    versionArgs: ["--version"],
    install: 'Install Elixir with "apt-get install elixir"',
    runs: true,
  },
  {
    id: "jekyll",
    name: "Jekyll",
    programs: ["jekyll"],
    versionArgs: ["--version"],
    install: 'Install Jekyll with "apt-get install jekyll", or list it in a Gemfile',
  },
  {
    id: "hugo",
    name: "Hugo",
    programs: ["hugo"],
    versionArgs: ["version"],
    install: 'Install Hugo from https://gohugo.io, or with "apt-get install hugo"',
  },
];

/** A toolchain as it is on this machine. */
export interface FoundToolchain {
  readonly toolchain: Toolchain;
  /** Absolute path of its program. */
  readonly program: string;
  /** Its version, where it says one. */
  readonly version?: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** Longest time in which a toolchain says something of itself, in milliseconds. */
const ASK_MS = 10_000;

const VERSION = /\d+\.\d+(?:\.\d+)?/;

/** Where a program is, by the search path. */
export function findProgram(name: string, env: Environment): string | undefined {
  for (const folder of (env.PATH ?? "").split(":")) {
    if (!folder.startsWith("/")) continue;
    const path = join(folder, name);
    try {
      const { isFile, mode } = Deno.statSync(path);
      if (isFile && ((mode ?? 0) & 0o111) !== 0) return path;
    } catch { /* it is not there */ }
  }
  return undefined;
}

async function ask(
  program: string,
  args: readonly string[],
  env: Environment,
): Promise<string | undefined> {
  try {
    const { success, stdout } = await runProgram(program, {
      args: [...args],
      clearEnv: true,
      env: inheritedVariables(env),
      cwd: "/",
      stdin: "null",
      stderr: "null",
      signal: AbortSignal.timeout(ASK_MS),
    });
    return success ? new TextDecoder().decode(stdout).trim() : undefined;
  } catch {
    return undefined;
  }
}

/** The toolchains that are here, of those with the ids, each asked for its version. */
export async function findToolchains(
  env: Environment,
  ids: readonly string[] = TOOLCHAINS.map(({ id }) => id),
): Promise<readonly FoundToolchain[]> {
  const found = await Promise.all(
    TOOLCHAINS.filter(({ id }) => ids.includes(id)).map(async (toolchain) => {
      const program = toolchain.programs.map((name) => findProgram(name, env))
        .find((path) => path !== undefined);
      if (program === undefined) return [];
      const text = await ask(program, toolchain.versionArgs, env);
      // A stand-in such as rustup's `cargo` is there without the toolchain itself.
      if (text === undefined) return [];
      const version = VERSION.exec(text)?.[0];
      return [{ toolchain, program, version }];
    }),
  );
  return found.flat();
}

/** Folders that each sandbox of a program shows anyway, with all that is below them. */
const SYSTEM = ["/usr", "/bin", "/lib", "/lib64"] as const;

/** Folders that hold more than one toolchain: nothing of them is shown. */
const TOO_WIDE: ReadonlySet<string> = new Set([
  "/",
  "/home",
  "/root",
  "/opt",
  "/srv",
  "/var",
  "/etc",
  "/tmp",
  "/mnt",
  "/media",
  "/run",
]);

const isBelow = (path: string, folder: string): boolean =>
  path === folder || path.startsWith(folder === "/" ? "/" : folder + sep);

/** The folder of an installation: the one that has `bin` and `lib`. */
async function folderOf(
  { toolchain, program }: Pick<FoundToolchain, "toolchain" | "program">,
  env: Environment,
): Promise<string | undefined> {
  try {
    const told = toolchain.folderArgs === undefined
      ? undefined
      : await ask(program, toolchain.folderArgs, env);
    return told?.startsWith("/") === true
      ? Deno.realPathSync(told)
      : dirname(dirname(Deno.realPathSync(program)));
  } catch {
    return undefined;
  }
}

/**
 * What of this machine's toolchains a server may see beside the system's own folders:
 * those that the platform itself finds by its search path, and nothing that holds more
 * than one of them or the data of the platform.
 */
export async function toolchainPlaces(
  env: Environment,
  dataDir: string,
): Promise<{ readonly toolchains: readonly string[]; readonly path: readonly string[] }> {
  const home = env.HOME ?? "/root";
  const folders = await Promise.all(
    TOOLCHAINS.filter(({ runs }) => runs === true).map(async (toolchain) => {
      const program = toolchain.programs.map((name) => findProgram(name, env))
        .find((path) => path !== undefined);
      return program === undefined ? undefined : await folderOf({ toolchain, program }, env);
    }),
  );
  const shown = [...new Set(folders)].filter((folder) => folder !== undefined)
    .filter((folder) => !SYSTEM.some((system) => isBelow(folder, system)))
    .filter((folder) => !TOO_WIDE.has(folder) && !isBelow(home, folder))
    .filter((folder) => !isBelow(dataDir, folder) && !isBelow(folder, dataDir));
  return { toolchains: shown, path: shown.map((folder) => join(folder, "bin")) };
}
