/** @module Reports the findings of a trace to the project's author. */
import { relative } from "node:path/posix";
import { formatCount, printable } from "../../lib/format.ts";
import type { Trace } from "../../runtime/mod.ts";
import { BuildError } from "../build_error.ts";
import type { BuildHost } from "../types.ts";

interface TracedServer {
  /** Path of the entry in the deployment. */
  readonly entry: string;
  /** Absolute real path of the project. */
  readonly project: string;
  /** Returns a file's path in the deployment, if the file is deployed anyway. */
  readonly deployed: (path: string) => string | undefined;
}

const isPackaged = (path: string) => path.includes("/node_modules/");

/** Maximum number of file names on one line. */
const SHOWN = 3;

function showFiles(paths: readonly string[], project: string): string {
  const shown = paths.slice(0, SHOWN).map((path) => printable(relative(project, path))).join(", ");
  return paths.length > SHOWN ? `${shown} and ${paths.length - SHOWN} more` : shown;
}

/**
 * Leaves out files of the project that are not deployed. Reports files that the server could try to
 * open.
 *
 * @throws {BuildError} if the server imports such a file
 */
export function withoutProjectFiles(
  host: BuildHost,
  { files }: Trace,
  { entry, project, deployed }: TracedServer,
): Trace["files"] {
  const isLost = (path: string) =>
    path.startsWith(`${project}/`) && !isPackaged(path) && deployed(path) === undefined;
  const lost = [...files].filter(([path]) => isLost(path) && !path.endsWith("/package.json"));
  const imported = lost.filter(([, { isImported }]) => isImported).map(([path]) => path);
  if (imported.length > 0) {
    throw new BuildError(
      "server_invalid",
      `Deploy all imports of the server ${entry}: ${showFiles(imported, project)} ` +
        `${imported.length === 1 ? "is" : "are"} not in the output`,
      {
        hint:
          "Change the build to copy the imports into the output, or to bundle them into the server",
      },
    );
  }
  if (lost.length > 0) {
    const paths = lost.map(([path]) => path);
    host.say(
      "build",
      "info",
      `The server ${entry} can open ${
        showFiles(paths, project)
      }, but not all of it is in the output`,
    );
  }
  return new Map([...files].filter(([path]) => !isLost(path)));
}

/** Reports imports in the server's own modules that cannot be resolved. */
export function sayUnresolved(
  host: BuildHost,
  { unresolved }: Trace,
  { entry, project }: TracedServer,
): void {
  const own = unresolved.filter(({ importer }) => !isPackaged(importer));
  const names = [...new Set(own.map(({ specifier }) => printable(specifier)))];
  const [first] = own;
  if (first === undefined) return;
  const shown = names.slice(0, SHOWN).map((name) => `"${name}"`).join(", ");
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : "";
  host.say(
    "build",
    "warn",
    `Cannot resolve ${
      formatCount(names.length, "import")
    } of the server ${entry}: ${shown}${more}, ` +
      `first in ${printable(relative(project, first.importer))}: this code will fail when it runs`,
  );
}
