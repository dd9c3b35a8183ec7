/** @module Projects for which only a `Dockerfile` defines how they run. */
import { sha256Hex } from "../../lib/hash.ts";
import type { ProjectReader } from "../frameworks/types.ts";
import { packsFiles } from "../signs/sign_table.ts";
import { firstThere } from "./parts.ts";
import type { Language } from "./types.ts";

const FILES = ["Dockerfile", "Containerfile"] as const;

/**
 * The file name is passed explicitly, because Docker does not look for the name that Podman
 * prefers.
 */
const FILE_OPTION: Readonly<Record<string, string>> = { Containerfile: "--file Containerfile " };

/** Placeholder for a command that is specified only in the image. */
export const OWN_COMMAND = "the image's own command";

/** Finds Podman, or Docker if there is none. */
const BUILDER = "$(command -v podman || echo docker)";

/** Returns the last instruction of a kind without its line breaks, or "" if there is none. */
function lastOf(instruction: string, text: string): string {
  const lines = text.replaceAll(/\\[ \t]*\r?\n/g, " ")
    .matchAll(new RegExp(`^[ \\t]*${instruction}[ \\t]+(\\S.*)$`, "gim"));
  return [...lines].at(-1)?.[1]?.trim() ?? "";
}

/**
 * Returns the words of an instruction, in its list form or its line form, as a shell would read
 * them.
 */
function wordsOf(written: string): string {
  try {
    const list: unknown = JSON.parse(written);
    return Array.isArray(list) ? list.join(" ") : written;
  } catch {
    return written;
  }
}

/** Returns the command that a Dockerfile runs, or "" if the base image specifies it. */
function dockerfileCommand(text: string): string {
  const lastStage = text.split(/^[ \t]*FROM[ \t]/im).at(-1)!;
  return ["ENTRYPOINT", "CMD"].map((each) => wordsOf(lastOf(each, lastStage))).filter(Boolean)
    .join(" ");
}

/** Returns the name of a project's image. The name is unique on the machine. */
const imageName = ({ directory = "" }: ProjectReader): string =>
  `localhost/svc-${sha256Hex(directory).slice(0, 16)}`;

/**
 * Returns whether `package.json` has a build script, in which case the site may not need the image.
 */
async function hasBuildScript(reader: ProjectReader): Promise<boolean> {
  return /"build"\s*:/.test(await reader.readText("package.json") ?? "");
}

export const dockerfile: Language = {
  id: "dockerfile",
  name: "Dockerfile",
  files: FILES,
  async plan(reader) {
    const file = await firstThere(reader, FILES);
    if (file === undefined || await hasBuildScript(reader)) return undefined;
    const text = await reader.readText(file) ?? "";
    if (!/^\s*FROM\s+\S/im.test(text) || packsFiles(text)) return undefined;
    const command = dockerfileCommand(text);
    const image = imageName(reader);
    return {
      reason: `${file} is the only file that describes how it runs`,
      toolchains: ["container"],
      build: `${BUILDER} build ${FILE_OPTION[file] ?? ""}--tag ${image} .`,
      start: command === "" ? OWN_COMMAND : command,
      image,
      entry: file,
      placements: [{ from: file, to: file }],
    };
  },
};
