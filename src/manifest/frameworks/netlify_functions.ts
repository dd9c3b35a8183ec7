import { hasProperty, stripComments } from "./config_text.ts";
import {
  type Difference,
  differencesOf,
  FUNCTION_SCRIPT,
  type FunctionText,
  lineWith,
  readFunctions,
} from "./function_files.ts";
import type {
  FoundFunction,
  FunctionRewrite,
  FunctionRoute,
  ProvidedFunctions,
} from "./functions_types.ts";
import type { ProjectReader } from "./types.ts";
import { patternOfFile, patternOfPath } from "./url_pattern.ts";

const FOLDER = "netlify/functions";
const EDGE_FOLDER = "netlify/edge-functions";
const BASE = "/.netlify/functions";

const DIFFERENCES: readonly Difference[] = [
  {
    pattern: /\bschedule\s*[:(]\s*["'`@]/,
    says: "has a schedule, which svc ignores: move it to [[cron]] in svc.toml",
  },
  {
    pattern: /["']@netlify\/blobs["']/,
    says: "uses Netlify Blobs, which svc does not support: store data in the key-value store",
  },
  {
    pattern: /\bcontext\.(?:next|account|deploy\.skewProtectionToken)\b/,
    says: "uses parts of the context that only Netlify provides",
  },
  {
    pattern: /\bstream\s*\(\s*async\b/,
    says: "streams with @netlify/functions: return a Response",
  },
];

/** Returns the `config` object in a module's code, or an empty string if there is none. */
const configOf = (text: string): string =>
  /\bexport\s+const\s+config\b[^={]*=\s*(\{[\s\S]{0,2000}?\n?\}\s*(?:;|as\b|satisfies\b|$|\n))/m
    .exec(stripComments(text))?.[1] ?? "";

/** Returns the strings that a property is set to: one string, or a list. */
function textsOf(config: string, name: string): string[] {
  const found = new RegExp(
    `\\b${name}\\s*:\\s*(\\[[^\\]]{0,1000}\\]|"[^"\\n]*"|'[^'\\n]*'|\`[^\`\\n]*\`)`,
  )
    .exec(config)?.[1] ?? "";
  return [...found.matchAll(/["'`]([^"'`\n]*)["'`]/g)].map(([, text]) => text!);
}

/** Returns a function's name, based on its file or folder. */
function nameOf(path: string): string | undefined {
  const [first = "", second, ...deeper] = path.replace(FUNCTION_SCRIPT, "").split("/");
  if (second === undefined) return first;
  return deeper.length === 0 && (second === "index" || second === first) ? first : undefined;
}

interface Read {
  readonly found: FoundFunction;
  readonly notes: readonly string[];
}

function readFunction({ path, file, text }: FunctionText): Read | undefined {
  const name = nameOf(path);
  if (name === undefined) return undefined;
  const config = configOf(text);
  const methods = textsOf(config, "method").map((method) => method.toUpperCase());
  const notes: string[] = [];
  const own = textsOf(config, "path").flatMap((written): FunctionRoute[] => {
    const pattern = patternOfPath(written);
    if (pattern === undefined) {
      notes.push(`${file}:${lineWith(text, /\bpath\s*:/) ?? 1} has a path that is not supported`);
    }
    return pattern === undefined ? [] : [pattern];
  });
  const routes = own.length > 0 ? own : [patternOfFile(BASE, name)];
  if (name.endsWith("-background")) {
    notes.push(`${file}:1 is a background function: on svc, the caller waits for its response`);
  }
  if (hasProperty(config, "rateLimit")) {
    notes.push(
      `${file}:${lineWith(text, /\brateLimit\b/) ?? 1} sets a rate limit: write a rule for it`,
    );
  }
  return {
    found: {
      file,
      provider: "netlify",
      routes: routes.map((route) => methods.length === 0 ? route : { ...route, methods }),
    },
    notes,
  };
}

/** Reads the redirects to functions that have status 200 from `netlify.toml` and `_redirects`. */
async function readRewrites(project: ProjectReader): Promise<FunctionRewrite[]> {
  const toml = await project.readText("netlify.toml") ?? "";
  const tables = toml.split(/^\s*\[\[\s*redirects\s*\]\]/m).slice(1).map((table) => {
    const value = (key: string) =>
      new RegExp(`^\\s*${key}\\s*=\\s*"?([^"\\n#]*)"?`, "m").exec(table)?.[1]?.trim() ?? "";
    return [value("from"), value("to")];
  });
  const lines: string[][] = [];
  for (const file of ["_redirects", "public/_redirects"]) {
    for (const line of (await project.readText(file) ?? "").split("\n")) {
      lines.push(line.trim().split(/\s+/));
    }
  }
  return [...tables, ...lines].flatMap(([from = "", to = ""]) => {
    if (!to.startsWith(`${BASE}/`)) return [];
    const pattern = patternOfPath(from);
    if (pattern === undefined) return [];
    const target = to.replace(/:(\w+)/g, (whole, name) => {
      const isSplat = name === "splat";
      const at = pattern.parameters.findIndex((parameter) =>
        isSplat ? /^\d+$/.test(parameter.name) : parameter.name === name
      );
      return at === -1 ? whole : `$${at + 1}`;
    });
    return [{ ...pattern, to: target }];
  });
}

/** Finds the functions in `netlify/functions/`. Returns `undefined` if there are none. */
export async function findNetlifyFunctions(
  project: ProjectReader,
): Promise<ProvidedFunctions | undefined> {
  const files = await readFunctions(project, FOLDER);
  const read = files.flatMap((file) => readFunction(file) ?? []);
  if (read.length === 0) return undefined;
  const edge = (await project.list?.(EDGE_FOLDER) ?? []).filter((path) =>
    FUNCTION_SCRIPT.test(path)
  );
  const functions = read.map(({ found }) => found);
  return {
    functions,
    paths: [
      "^/\\.netlify/functions(?:/.*)?$",
      ...functions.flatMap(({ routes }) => routes.map(({ pattern }) => pattern)),
    ],
    rewrites: await readRewrites(project),
    notes: [
      ...files.flatMap((file) => differencesOf(file, DIFFERENCES)),
      ...read.flatMap(({ notes }) => notes),
      ...edge.map((path) =>
        `${EDGE_FOLDER}/${path}:1 is a Netlify edge function, which svc does not run: ` +
        "write it as an svc function (docs/functions.md)"
      ),
    ],
    refused: [],
  };
}
