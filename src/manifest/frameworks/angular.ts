/** @module Angular: a single page, prerendered pages or, with `ssr`, a server on Node. */
import * as z from "zod";
import { stripComments } from "./config_text.ts";
import type { BuiltOutput, Found, Framework, FrameworkFacts, FrameworkFinding } from "./types.ts";

const ENTRY = "server/server.mjs";
const BROWSER = "browser";

const target = z.object({
  builder: z.string().catch(""),
  options: z.object({
    outputPath: z.union([z.string(), z.object({ base: z.string() }).transform(({ base }) => base)])
      .optional().catch(undefined),
    ssr: z.unknown().optional(),
    outputMode: z.string().optional().catch(undefined),
  }).catch({}),
});

const targets = z.object({ build: target.optional().catch(undefined) }).optional()
  .catch(undefined);

const workspace = z.object({
  defaultProject: z.string().optional().catch(undefined),
  projects: z.record(
    z.string(),
    z.object({
      projectType: z.string().catch("application"),
      architect: targets,
      targets,
    }),
  ),
});

interface AngularApp {
  /** Folder for the build output, relative to the project. */
  readonly base: string;
  readonly hasServer: boolean;
  /** Whether browser files are in a separate folder. */
  readonly isSplit: boolean;
}

/**
 * Returns the application that `ng build` builds: the default project or, failing that, the first
 * one.
 */
function appOf(text: string): AngularApp | undefined {
  let value: unknown;
  try {
    value = JSON.parse(stripComments(text));
  } catch {
    return undefined;
  }
  const { projects = {}, defaultProject = "" } = workspace.safeParse(value).data ?? {};
  const applications = Object.entries(projects)
    .filter(([, { projectType }]) => projectType === "application");
  const [name, project] = applications.find(([each]) => each === defaultProject) ??
    applications[0] ?? [];
  const build = (project?.architect ?? project?.targets)?.build;
  if (name === undefined || build === undefined) return undefined;
  const { outputPath, ssr, outputMode } = build.options;
  return {
    base: (outputPath ?? `dist/${name}`).replace(/^(?:\.\/)+|\/+$/g, ""),
    hasServer: ssr !== undefined && ssr !== false && outputMode !== "static",
    isSplit: /:application$/.test(build.builder),
  };
}

function inspect({ config }: FrameworkFacts): FrameworkFinding {
  const app = appOf(config?.text ?? "");
  if (app === undefined) return {};
  const { base, hasServer, isSplit } = app;
  if (hasServer) {
    return {
      outputDirs: [base],
      server: 'angular.json sets "ssr"',
      layout: {
        entry: `${base}/${ENTRY}`,
        files: `${base}/${BROWSER}`,
      },
    };
  }
  return { outputDirs: isSplit ? [`${base}/${BROWSER}`, base] : [base] };
}

/** The entry listens only if it is the program's main module. */
const LISTENS = (file: string) =>
  `import { createServer } from "node:http";
import * as entry from ${JSON.stringify(`./${file}`)};
if (typeof entry.reqHandler === "function") {
  createServer(entry.reqHandler).listen(Number(process.env.PORT), process.env.HOST);
}
`;

function find({ paths }: BuiltOutput): Found {
  if (paths.includes(ENTRY)) {
    return {
      type: "server",
      launch: { wrapper: LISTENS },
      directory: "server",
      entry: ENTRY,
      clients: [BROWSER],
    };
  }
  const inBrowser = paths.some((path) => path.startsWith(`${BROWSER}/`));
  return { type: "static", directory: inBrowser ? BROWSER : "." };
}

export const angular: Framework = {
  id: "angular",
  name: "Angular",
  packages: ["@angular/cli", "@angular/core"],
  configFiles: ["angular.json"],
  applies: async ({ reader, dependencies }) =>
    await reader.exists("angular.json") && !dependencies.has("@analogjs/platform"),
  build: "ng build",
  dev: "ng serve",
  outputDirs: [],
  isSinglePage: true,
  server: { find },
  // Angular writes about/index.html, but links to /about.
  urls: { trailingSlash: "never" },
  inspect,
};
