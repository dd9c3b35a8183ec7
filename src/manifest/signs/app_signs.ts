/** @module Finds servers in JavaScript that no start script runs. */
import { firstFile, type ModuleText } from "../frameworks/code_around.ts";
import {
  candidatesOf,
  type ProjectPackage,
  readPackage,
  USUAL_ENTRIES,
} from "../frameworks/project_server.ts";
import { START_SCRIPTS } from "../frameworks/start_script.ts";
import type { ProjectReader } from "../frameworks/types.ts";
import { escapePattern, lineOf } from "./line_of.ts";
import { SERVER_PACKAGES, WHOLE_SERVERS } from "./sign_table.ts";
import type { ProjectSign } from "./types.ts";

const CAN = 'svc runs a server that listens on process.env.PORT: add a "start" script to ' +
  "package.json that starts it with Node";

const imports = (name: string) =>
  new RegExp(
    `^(?!\\s*(?:import\\s+type\\b|//|\\*)).*?(?:\\bfrom\\s*|\\bimport\\s*\\(?\\s*|\\brequire\\(\\s*)["'](?:npm:)?${
      escapePattern(name)
    }(?:/[\\w./-]+)?["']`,
    "m",
  );

const EXPORTS =
  /\bexport\s+default\b|\bmodule\.exports\s*=|\bexport\s*=|\bexport\s*\{[^}]*\bas\s+default\b/;

/** Returns the entry that a project specifies, and then entries with common names. */
async function entriesOf(
  project: ProjectReader,
  { main }: ProjectPackage,
): Promise<readonly ModuleText[]> {
  const named = main === undefined ? [] : candidatesOf(main, undefined);
  const found: ModuleText[] = [];
  for (const path of new Set([...named, ...USUAL_ENTRIES])) {
    const file = await firstFile(project, [path]);
    if (file !== undefined) found.push(file);
  }
  return found;
}

/** Returns a sign if an entry imports one of the server packages. */
function entrySign({ path, text }: ModuleText, packages: readonly string[]) {
  for (const name of packages) {
    const line = lineOf(text, imports(name));
    if (line === undefined) continue;
    const exported = EXPORTS.test(text) ? " and exports the app" : "";
    return { kind: "program" as const, file: path, line, seen: `imports ${name}${exported}` };
  }
  return undefined;
}

/** Returns the line in package.json that contains a package or script name. */
const lineOfKey = (text: string, key: string, section: string): number => {
  const from = text.search(new RegExp(`"${section}"\\s*:`));
  const rest = text.slice(Math.max(from, 0));
  const line = lineOf(rest, new RegExp(`"${escapePattern(key)}"\\s*:`)) ?? 1;
  return line + text.slice(0, Math.max(from, 0)).split("\n").length - 1;
};

/** Finds servers based on package.json and common entries. */
export async function findAppSigns(project: ProjectReader): Promise<readonly ProjectSign[]> {
  const facts = await readPackage(project);
  const text = await project.readText("package.json");
  if (facts === undefined || text === undefined) return [];
  const { runtimePackages, scripts } = facts;
  const asked = (name: string, verb: string): ProjectSign => {
    const line = lineOfKey(text, name, "dependencies");
    return { kind: "program", file: "package.json", line, seen: `${verb} ${name}`, can: CAN };
  };
  const whole = WHOLE_SERVERS.find((name) => runtimePackages.includes(name));
  if (whole !== undefined) return [asked(whole, "runs")];
  const packages = SERVER_PACKAGES.filter((name) => runtimePackages.includes(name));
  const [first] = packages;
  if (first === undefined) return [];
  for (const entry of await entriesOf(project, facts)) {
    const sign = entrySign(entry, packages);
    if (sign !== undefined) return [asked(first, "requires"), { ...sign, can: CAN }];
  }
  const start = START_SCRIPTS.find((name) => scripts.has(name));
  if (start === undefined) return [];
  const line = lineOfKey(text, start, "scripts");
  const seen = `has the script "${start}": ${scripts.get(start)}`;
  return [asked(first, "requires"), {
    kind: "program",
    file: "package.json",
    line,
    seen,
    can: CAN,
  }];
}
