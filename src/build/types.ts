/** @module The interface between a build and its host: the CLI, or the platform. */
import type { Diagnostic } from "../lib/diagnostic.ts";

/** Parts of a build, as named in log lines. */
type BuildPhase = "detect" | "install" | "build";

export type BuildLevel = "info" | "warn" | "error";

/** Diagnostics for one file. `source` is the file's text. */
export interface FileFindings {
  readonly file: string;
  readonly source?: string;
  readonly diagnostics: readonly Diagnostic[];
}

/** Receives one stream of a command's output. */
export interface OutputSink {
  write(chunk: string): void;
  /** Called when the stream has ended. */
  end(): void;
}

/** The host of a build. The build uses nothing else from the process. */
export interface BuildHost {
  say(phase: BuildPhase, level: BuildLevel, message: string): void;
  /** Shows warnings about a file. */
  warn(found: FileFindings): void;
  /** Opens one stream of a command's output. A command has two open streams. */
  output(phase: BuildPhase): OutputSink;
  /** Returns a path in the form shown to the user. */
  showPath(absolutePath: string): string;
  /** Stops running commands when it is aborted. The build then throws its reason. */
  readonly signal: AbortSignal;
  /** Folder for content that can be recreated at any time, such as esbuild's binary. */
  readonly cacheDir: string;
  /**
   * Folder for programs that builds share, such as package managers. The folder is kept between
   * builds.
   */
  readonly toolsDir: string;
  /** The commands' environment, apart from the project's variables. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Returns the same host with a different environment for commands. */
export function inEnvironment(host: BuildHost, env: BuildHost["env"]): BuildHost {
  // The original host is the prototype, so it provides everything else, including computed values
  // such as the folders.
  return Object.create(host, { env: { value: env, enumerable: true } });
}
