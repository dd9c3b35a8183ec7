/** @module Finds signs of a server that svc cannot run by itself. */
import type { ProjectReader } from "../frameworks/types.ts";
import { findAppSigns } from "./app_signs.ts";
import { findFunctionSigns, FUNCTION_SOURCE } from "./function_signs.ts";
import { escapePattern, lineOf } from "./line_of.ts";
import { CONTAINERS, FUNCTION_FOLDERS, LANGUAGES, packsFiles } from "./sign_table.ts";
import type { FileSign, LanguageSigns, ProjectSign } from "./types.ts";

/** Advice on how to declare a project's start command. */
const SAY_HOW = 'To run it, set runtime = "command" under [build] in svc.toml, with the ' +
  'command that builds it, and command = "…" under [server], which starts it and listens on $PORT';

/** Returns the sign in a file, with its line, or `undefined` if there is none. */
function seenIn(
  text: string,
  { shows = [], seen, unless }: FileSign,
): Pick<ProjectSign, "line" | "seen"> | undefined {
  if (unless?.test(text) === true) return undefined;
  for (const [pattern, clause] of shows) {
    const line = lineOf(text, pattern);
    if (line === undefined) continue;
    const shown = pattern.exec(text)?.[1]?.trim() ?? "";
    return { line, seen: clause.replace("$1", () => shown) };
  }
  return seen === undefined ? undefined : { line: 1, seen };
}

async function fileSign(project: ProjectReader, row: FileSign) {
  const text = await project.readText(row.file);
  const found = text === undefined ? undefined : seenIn(text, row);
  return found === undefined ? undefined : { file: row.file, ...found };
}

async function languageSign(
  project: ProjectReader,
  { name, files }: LanguageSigns,
): Promise<ProjectSign | undefined> {
  for (const row of files) {
    const found = await fileSign(project, row);
    if (found === undefined) continue;
    const can = `svc cannot detect how to run this ${name} server. ${SAY_HOW}`;
    return { kind: "program", language: name, can, ...found };
  }
  return undefined;
}

const CONTAINER_CAN = `svc cannot detect how to run this server. ${SAY_HOW}`;

async function findContainers(project: ProjectReader): Promise<readonly ProjectSign[]> {
  const signs: ProjectSign[] = [];
  for (const row of CONTAINERS) {
    const found = await fileSign(project, row);
    if (found === undefined) continue;
    const isPacked = /^(?:Docker|Container)file$/.test(row.file) &&
      packsFiles(await project.readText(row.file) ?? "");
    if (!isPacked) signs.push({ kind: "container", can: CONTAINER_CAN, ...found });
  }
  return signs;
}

/**
 * Finds all server signs in a project, with the strongest evidence first. Files are looked up by
 * name, and only function folders are listed.
 */
export async function findProjectSigns(project: ProjectReader): Promise<readonly ProjectSign[]> {
  const languages: ProjectSign[] = [];
  for (const language of LANGUAGES) {
    const sign = await languageSign(project, language);
    if (sign !== undefined) languages.push(sign);
  }
  return [
    ...await findFunctionSigns(project),
    ...await findAppSigns(project),
    ...languages,
    ...await findContainers(project),
  ];
}

/**
 * Returns patterns that match the source files of the detected servers: all files in their
 * languages, functions and entries.
 */
export function sourcesOf(signs: readonly ProjectSign[]): readonly RegExp[] {
  const names = new Set(signs.map(({ language }) => language));
  const folders = FUNCTION_FOLDERS.filter(({ folder }) =>
    signs.some(({ kind, file }) => kind === "function" && file.startsWith(`${folder}/`))
  );
  const entries = signs.filter(({ kind }) => kind === "program").map(({ file }) => file);
  return [
    ...LANGUAGES.filter(({ name }) => names.has(name)).map(({ sources }) => sources),
    ...folders.map(({ folder }) => new RegExp(`^${folder}/.*${FUNCTION_SOURCE.source}`, "i")),
    ...entries.map((file) => new RegExp(`^${escapePattern(file)}$`)),
  ];
}
