/**
 * @module Predicts what a deploy will do before anything is built, with the same code as the
 * deploy.
 */
import {
  describeProgram,
  describeProject,
  type DetectedProject,
  findProjectSigns,
  isPage,
  judgeSigns,
  planProject,
  type ProjectPlan,
  refuseFunctions,
  refuseSigns,
} from "../manifest/mod.ts";
import { createFolderReader } from "./folder_reader.ts";
import { foretellEngine, type ForetellOptions } from "./foretell_engine.ts";
import { findFunctions } from "./server/project_functions.ts";
import type { BuildLevel } from "./types.ts";

/** A message about a project. */
interface Line {
  readonly level: BuildLevel;
  readonly message: string;
}

interface Foretold {
  readonly plan: ProjectPlan;
  readonly lines: readonly Line[];
}

const warning = (message: string): Line => ({ level: "warn", message });

/** Creates a warning that a deploy of this project will fail. */
const stops = ({ message, hint }: { readonly message: string; readonly hint?: string }): Line =>
  warning(
    `svc deploy will fail with this error: ${message}${hint === undefined ? "" : `\n${hint}`}`,
  );

/** Names the detected framework, and describes how the project will run. */
function describe(detected: DetectedProject, plan: ProjectPlan, options: ForetellOptions): Line[] {
  const { build, server } = options.config ?? {};
  const command = build?.command ?? detected.buildCommand;
  const described = describeProject(detected, plan);
  const lines = describeProgram(detected, { command, start: server?.command }) ??
    (described === undefined ? [] : [described]);
  const { advice } = detected;
  return [
    ...lines.map((message): Line => ({ level: "info", message })),
    ...(advice === undefined ? [] : [warning(`${advice.message}. ${advice.hint}`)]),
  ];
}

/** Looks for signs of a server in a project for which none was detected. */
async function judge({ directory, config, detected }: ForetellOptions): Promise<readonly Line[]> {
  const { server, advice, framework } = detected;
  const isProgram = config?.build.runtime === "command";
  if (server !== undefined || advice !== undefined || isProgram) return [];
  const reader = createFolderReader(directory);
  const signs = await findProjectSigns(reader);
  const builds = (config?.build.command ?? detected.buildCommand) !== undefined;
  const named = config?.build.outputDirs ?? [];
  const folders = named.length > 0 ? named : detected.outputDirs;
  const folder = builds ? undefined : await firstFolder(folders, reader);
  if (!builds && folder === undefined) return signs.length === 0 ? [] : [stops(refuseSigns(signs))];
  const judgment = judgeSigns(signs, {
    framework: framework?.id,
    isBuilt: folder !== ".",
    isNamed: named.length > 0,
    hasPage: folder === undefined || (await reader.list?.(folder) ?? []).some(isPage),
  });
  if (judgment.type === "refused") return [stops(refuseSigns(judgment.signs))];
  return judgment.type === "noted" ? [warning(judgment.note)] : [];
}

async function firstFolder(
  folders: readonly string[],
  { isDirectory }: ReturnType<typeof createFolderReader>,
): Promise<string | undefined> {
  for (const folder of folders) if (await isDirectory(folder)) return folder;
  return undefined;
}

/** Predicts what a deploy will run and publish, and what will make it fail. */
export async function foretellDeploy(options: ForetellOptions): Promise<Foretold> {
  const { detected, config } = options;
  const functions = await findFunctions(options);
  const first = functions?.functions[0]?.file;
  const served: DetectedProject = first === undefined || detected.server !== undefined
    ? detected
    : {
      ...detected,
      server: {
        reason: `${first} is a function`,
        layout: {
          entry: first,
          ...(detected.outputDirs[0] === undefined ? {} : { files: detected.outputDirs[0] }),
        },
      },
    };
  const plan = planProject(served, await foretellEngine({ ...options, detected: served }));
  const refused = functions?.refused ?? [];
  const judged = functions === undefined && config?.build.isStatic !== true
    ? await judge(options)
    : refused.length > 0
    ? [stops(refuseFunctions(refused))]
    : functions?.notes.map(warning) ?? [];
  return { plan, lines: [...describe(served, plan, options), ...judged] };
}
