/** @module Exports an image from Podman or Docker: its configuration and files. */
import { join } from "node:path";
import { removeTree } from "../../lib/missing_files.ts";
import { runProgram, spawnProgram } from "../../lib/spawn_program.ts";
import { findToolchains } from "../../toolchains/find_toolchains.ts";
import { BuildError } from "../build_error.ts";
import { environmentOf } from "../run_command.ts";
import type { BuildHost } from "../types.ts";
import { type ImageConfig, readImageConfig } from "./image_config.ts";
import { type ImageFiles, readImageFiles } from "./image_files.ts";

/** Maximum length of a container engine's error that is shown, in characters. */
const MAX_SHOWN = 2000;

const decode = (bytes: Uint8Array): string => new TextDecoder().decode(bytes).trim();

/** Calls the container engine of this machine. */
class Engine {
  readonly #host: BuildHost;
  readonly #program: string;

  constructor(host: BuildHost, program: string) {
    this.#host = host;
    this.#program = program;
  }

  /** @throws {BuildError} with the engine's error */
  async call(...args: readonly string[]): Promise<string> {
    const { success, stdout, stderr } = await runProgram(this.#program, {
      ...this.#options(args),
      stderr: "piped",
    });
    if (!success) throw this.#failure(args, decode(stderr));
    return decode(stdout);
  }

  async export<T>(
    container: string,
    read: (archive: ReadableStream<Uint8Array<ArrayBuffer>>) => Promise<T>,
  ): Promise<T> {
    const args = ["export", container];
    const child = spawnProgram(this.#program, { ...this.#options(args), stderr: "null" });
    try {
      const result = await read(child.stdout);
      if ((await child.status).success) return result;
    } catch (error) {
      child.kill("SIGKILL");
      await child.status;
      throw error;
    }
    throw this.#failure(args, "it was interrupted");
  }

  #options(args: readonly string[]): Deno.CommandOptions {
    return {
      args: [...args],
      clearEnv: true,
      env: environmentOf(this.#host.env),
      stdin: "null",
      stdout: "piped",
      signal: this.#host.signal,
    };
  }

  #failure(args: readonly string[], reason: string): BuildError {
    const call = [this.#program, ...args].join(" ");
    return new BuildError("build_failed", `Cannot read the image: ${call} failed`, {
      hint: reason.slice(-MAX_SHOWN),
    });
  }
}

export interface ExportedImage extends ImageFiles {
  readonly config: ImageConfig;
}

async function readConfig(engine: Engine, image: string): Promise<ImageConfig> {
  const config = readImageConfig(await engine.call("image", "inspect", image));
  if (config === undefined) {
    throw new BuildError("build_failed", `Cannot read the configuration of the image ${image}`);
  }
  return config;
}

/** Creates an empty folder for the files of an image, which replace the previous build's files. */
async function emptyFolder({ cacheDir }: BuildHost, image: string): Promise<string> {
  const folder = join(cacheDir, "images", image.replaceAll(/[^\w-]/g, "-"));
  await removeTree(folder);
  await Deno.mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/**
 * Exports an image that is on this machine, without running any of its code.
 *
 * @throws {BuildError}
 */
export async function exportImage(host: BuildHost, image: string): Promise<ExportedImage> {
  const [found] = await findToolchains(host.env, ["container"]);
  if (found === undefined) {
    throw new TypeError("No container engine is installed to export the image");
  }
  const engine = new Engine(host, found.program);
  const config = await readConfig(engine, image);
  // The container engine requires a command if the image has none. The command never runs.
  const container = await engine.call("create", image, "/none");
  try {
    const folder = await emptyFolder(host, image);
    const files = await engine.export(container, (archive) => readImageFiles(archive, folder));
    return { ...files, config };
  } finally {
    await engine.call("rm", container);
  }
}
