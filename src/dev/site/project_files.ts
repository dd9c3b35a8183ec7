/**
 * The files of a project without a dev server: what a deploy would send, read from where
 * it lies.
 *
 * @module
 */
import { type PackedFile, packProject } from "../../build/mod.ts";
import { BuildError } from "../../build/mod.ts";
import type { BlobReader, ByteRange } from "../../edge/mod.ts";
import { type Manifest, outputFilesOf, validateManifest } from "../../manifest/mod.ts";
import type { DevOptions } from "../options.ts";

/** What the edge serves of the project. */
export interface ProjectContent {
  readonly manifest: Manifest;
  readonly files: readonly PackedFile[];
  readonly blobs: BlobReader;
  /** Absolute path of the folder with the rules and functions. */
  readonly home: string;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Reads contents by their hash from the files that have it. */
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

/**
 * Packs the output as it is.
 *
 * @throws {BuildError} where the project is at fault
 */
export async function readProjectFiles(
  { build, directory, standing, config }: Pick<
    DevOptions,
    "build" | "directory" | "standing" | "config"
  >,
): Promise<ProjectContent> {
  const pack = await packProject(build, { directory, standing, config, skipBuild: true });
  const paths = pack.files.map(({ path }) => path);
  const result = validateManifest(pack.manifest, outputFilesOf(paths));
  if (!result.ok) throw new TypeError("The manifest was valid, and is not any more");
  const { manifest } = result;
  if (manifest.layers.some(({ target }) => target === "COMPUTE")) {
    throw new BuildError("server_invalid", "Name the command that starts the server", {
      hint: "dev.command of svc.toml, or --command; svc preview runs what svc build has made",
    });
  }
  const blobs = new ProjectBlobs(pack.files);
  return { manifest, files: pack.files, blobs, home: pack.home };
}
