/**
 * @module Finds the reasons why a server needs Node itself: features that the sandbox on Deno
 * cannot run.
 */
import type { BuildResult, Metafile } from "esbuild";

type NodeNeedKind =
  /** A package with a native addon. */
  | "native"
  /** Modules that are required or imported under computed names. */
  | "computed"
  /** Threads whose code is loaded from a file. */
  | "worker";

export interface NodeNeed {
  readonly kind: NodeNeedKind;
  /** The package, or the file relative to the output, that has this need. */
  readonly subject: string;
}

/** The esbuild warnings about calls that it leaves unchanged. */
const COMPUTED: ReadonlySet<string> = new Set([
  "unsupported-require-call",
  "unsupported-dynamic-import",
]);

/** Makes esbuild report these calls, because it does not report them by default. */
export const COMPUTED_WARNINGS = Object.fromEntries(
  [...COMPUTED].map((id) => [id, "warning" as const]),
);

/** SvelteKit uses this name to hide imports of Node's own modules from bundlers. */
const HARMLESS = /\bobfuscated_import\s*=/;

/** Packages whose computed imports run only in browsers, where they load route modules. */
const IN_BROWSERS: ReadonlySet<string> = new Set(["react-router", "@remix-run/react"]);

const STARTS_THREADS = /\bnew\s+(?:[\w$]+\s*\.\s*)?Worker\s*\(/;
const KNOWS_THREADS = /["'](?:node:)?worker_threads["']/;

/** Returns whether a module starts threads. Bundlers do not see the files that threads run. */
export function startsThreads(text: string): boolean {
  return STARTS_THREADS.test(text) && KNOWS_THREADS.test(text);
}

/** Returns the package that a file belongs to, or else the file itself. */
function subjectOf(path: string): string {
  const [, name] = /^.*(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
  return name ?? path;
}

/** Returns the files whose code is in the bundle. */
function usedFiles({ outputs }: Metafile): ReadonlySet<string> {
  return new Set(
    Object.values(outputs).flatMap(({ inputs }) =>
      Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => bytesInOutput > 0 ? [path] : [])
    ),
  );
}

/** The plugins' notes about individual modules, by paths relative to the output, with `/`. */
interface ModuleNotes {
  readonly computed: ReadonlySet<string>;
  readonly threads: ReadonlySet<string>;
  readonly placed: ReadonlySet<string>;
}

/** Returns the packages with code that uses its own location, and therefore may open files. */
export function openersOf(
  { metafile }: BuildResult<{ metafile: true }>,
  { placed }: Pick<ModuleNotes, "placed">,
): readonly string[] {
  const used = usedFiles(metafile);
  const packaged = [...placed].filter((file) => used.has(file) && file.includes("node_modules/"));
  return [...new Set(packaged.map(subjectOf))].sort();
}

/**
 * Returns the needs of the modules that remain in the bundle after tree shaking, without
 * duplicates. Native addons are recorded elsewhere.
 */
export function needsOf(
  { metafile, warnings }: BuildResult<{ metafile: true }>,
  notes: ModuleNotes,
): readonly NodeNeed[] {
  const used = usedFiles(metafile);
  const computed = new Set(notes.computed);
  for (const { id, location } of warnings) {
    if (location === null || !COMPUTED.has(id) || HARMLESS.test(location.lineText)) continue;
    if (!IN_BROWSERS.has(subjectOf(location.file))) computed.add(location.file);
  }
  const subjects = (files: ReadonlySet<string>) => [
    ...new Set([...files].filter((file) => used.has(file)).map(subjectOf)),
  ];
  return [
    ...subjects(computed).map((subject) => ({ kind: "computed" as const, subject })),
    ...subjects(notes.threads).map((subject) => ({ kind: "worker" as const, subject })),
  ];
}
