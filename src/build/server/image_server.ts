/** @module Describes a server from an image: the image's files, and how to start its program. */
import { formatBytes, formatCount } from "../../lib/format.ts";
import type { ComputeLayer } from "../../manifest/mod.ts";
import { BuildError } from "../build_error.ts";
import { type ExportedImage, exportImage } from "../image/export_image.ts";
import { findInImage, typeInImage } from "../image/image_files.ts";
import { shortList } from "../private_files.ts";
import type { BuildHost } from "../types.ts";
import type { PreparedServer, ServerFacts } from "./types.ts";

type Image = NonNullable<NonNullable<ComputeLayer["runtime"]>["image"]>;

/** Folder for the image's files in a deployment. */
const FOLDER = "image";

const DEFAULT_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

const invalid = (message: string, hint: string): BuildError =>
  new BuildError("server_invalid", message, { hint });

/** Returns the arguments of an image's program, starting with the path of the program. */
function argumentsOf(image: ExportedImage, command: string | undefined): string[] {
  const { args: own, env, workdir } = image.config;
  const [program, ...args] = command === undefined ? own : ["/bin/sh", "-c", command];
  if (program === undefined) {
    throw invalid(
      "The image has no start command",
      "Add a CMD to the Dockerfile that starts a server on $PORT",
    );
  }
  const found = findInImage(image, program, { path: env.PATH ?? DEFAULT_PATH, workdir });
  if (found !== undefined) return [found, ...args];
  throw invalid(
    `The image does not contain its start program ${program}`,
    command === undefined
      ? "Check ENTRYPOINT and CMD in the Dockerfile, and the files that its last stage copies"
      : '"command" under [server] in svc.toml needs a shell. Remove it, or use a base image with a shell',
  );
}

function imageOf(image: ExportedImage, command: string | undefined): Image {
  const { env, workdir, platform } = image.config;
  if (!platform.startsWith("linux/")) {
    throw invalid(`The image is for ${platform}`, "Use a base image for Linux");
  }
  if (typeInImage(image, workdir) !== "folder") {
    throw invalid(`The image has no folder ${workdir}`, "Check WORKDIR in the Dockerfile");
  }
  return { directory: FOLDER, args: argumentsOf(image, command), env: { ...env }, workdir };
}

function report(host: BuildHost, { files, leftOut, config }: ExportedImage): void {
  const bytes = [...files.values()].reduce((sum, { size }) => sum + size, 0);
  const size = `${formatCount(files.size, "file")}, ${formatBytes(bytes)}`;
  host.say("build", "info", `The image has ${size}`);
  if (leftOut.length > 0) {
    host.say(
      "build",
      "warn",
      `Skipped entries that a deployment cannot contain: ${shortList(leftOut)}`,
    );
  }
  if (config.volumes.length > 0) {
    host.say(
      "build",
      "warn",
      `Volumes are read-only here (${shortList(config.volumes)}): write to /tmp, a ` +
        'database ("svc db") or the key-value store',
    );
  }
}

/**
 * Describes the server of a built image.
 *
 * @throws {BuildError} if the image cannot be deployed, or has no start command
 */
export async function imageServer(
  host: BuildHost,
  layer: ComputeLayer,
  { facts: { settings }, name, reason }: {
    readonly facts: ServerFacts;
    /** Name of the image. */
    readonly name: string;
    readonly reason: string;
  },
): Promise<PreparedServer> {
  host.say("build", "info", "Reading the image's files");
  const exported = await exportImage(host, name);
  const image = imageOf(exported, settings.server?.command);
  report(host, exported);
  host.say("build", "info", `The server starts with ${image.args.join(" ")} in ${image.workdir}`);
  const inFolder = (path: string) => `${FOLDER}/${path}`;
  return {
    layer: { ...layer, runtime: { ...layer.runtime, engine: "command", image } },
    report: { layer: layer.name, entry: layer.entry, engine: "command", reason },
    contents: [...exported.files].map(([path, file]) => ({ path: inFolder(path), ...file })),
    dropped: new Set(),
    links: Object.fromEntries([...exported.links].map(([path, to]) => [inFolder(path), to])),
  };
}
