/** @module Reads the files of a project without a dev server. */
import {
  assembleProject,
  BuildError,
  type BuildHost,
  hashFiles,
  type PackedFile,
} from "../../build/mod.ts";
import type { BlobReader, ByteRange } from "../../edge/mod.ts";
import {
  formatManifestProblems,
  type Manifest,
  outputFilesOf,
  validateManifest,
} from "../../manifest/mod.ts";
import type { DevOptions } from "../options.ts";

/** The project content that the edge serves. */
export interface ProjectContent {
  readonly manifest: Manifest;
  readonly files: readonly PackedFile[];
  readonly blobs: BlobReader;
  /** Absolute path of the folder with the rules and functions. */
  readonly home: string;
  /** Absolute path of the project, or of the chosen app in a monorepo. */
  readonly directory: string;
  readonly hasServer: boolean;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Reads the content with a given hash from its file. */
class ProjectBlobs implements BlobReader {
  readonly #contents: ReadonlyMap<string, PackedFile["content"]>;

  constructor(files: readonly PackedFile[]) {
    this.#contents = new Map(files.map(({ sha256, content }) => [sha256, content]));
  }

  async read(sha256: string): Promise<Bytes> {
    const content = this.#contents.get(sha256);
    if (content === undefined) throw new Error(`No file has the content ${sha256}`);
    return typeof content === "string" ? await Deno.readFile(content) : content;
  }

  async stream(sha256: string, range?: ByteRange): Promise<ReadableStream<Bytes>> {
    const content = this.#contents.get(sha256);
    if (typeof content !== "string" || range !== undefined) {
      const bytes = await this.read(sha256);
      const part = range === undefined ? bytes : bytes.subarray(range.start, range.end + 1);
      return new Blob([part]).stream();
    }
    return (await Deno.open(content)).readable;
  }
}

/** Returns a host that shows no messages, because they were already shown. */
function silent(host: BuildHost): BuildHost {
  const nothing = { value: () => {} };
  return Object.create(host, { say: nothing, warn: nothing });
}

interface ReadFilesOptions extends Pick<DevOptions, "build" | "directory" | "standing" | "config"> {
  /** Whether the files have been read before. */
  readonly again: boolean;
}

/**
 * Reads the output. Rules and functions are read separately.
 *
 * @throws {BuildError} if the project is at fault
 */
export async function readProjectFiles(
  { build, directory, standing, config, again }: ReadFilesOptions,
): Promise<ProjectContent> {
  const { files: contents, manifest: proposed, home, directory: app } = await assembleProject(
    again ? silent(build) : build,
    { directory, standing, config, skipBuild: true, skipValidation: true },
  );
  const files = await hashFiles(contents, { signal: build.signal, cachedAt: undefined });
  const result = validateManifest(proposed, outputFilesOf(files.map(({ path }) => path)));
  if (!result.ok) {
    throw new BuildError("manifest_invalid", formatManifestProblems(result.problems));
  }
  const { manifest } = result;
  const hasServer = manifest.layers.some(({ target }) => target === "COMPUTE");
  return { manifest, files, blobs: new ProjectBlobs(files), home, directory: app, hasServer };
}
