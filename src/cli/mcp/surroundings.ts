/** @module Gives tools on an agent's machine access to command lines, files and variables. */
import { dirname } from "node:path";
import { type Answer, chooseProject, ToolFailure } from "../../agents/tool.ts";
import { credentialsPath } from "../../config/credentials_file.ts";
import { MAX_VARIABLE_BYTES } from "../../contract/variables.ts";
import { describeError, toJsonError } from "../errors/report_error.ts";
import { openProject } from "../projects/resolve_project.ts";
import { openProjectFolder } from "../projects/project_folder.ts";
import type { Context } from "../session/context.ts";
import { openCredentialStore } from "../session/credential_store.ts";
import { type FileLimits, readProjectFile } from "./read_project_file.ts";
import type { CommandCall, FolderSurroundings } from "./tool.ts";

const PHASE = "deploy";

async function runCommand(
  ctx: Context,
  words: readonly string[],
  { folder, stdin }: CommandCall = {},
): Promise<Answer> {
  const { answer } = await ctx.call(words, {
    ...(folder === undefined ? {} : { cwd: ctx.path(folder) }),
    stdin,
  });
  if ("error" in answer) throw new ToolFailure(answer);
  return answer;
}

function fileLimits({ cwd, env }: Context): FileLimits {
  const home = env.HOME ?? env.USERPROFILE;
  const { XDG_CONFIG_HOME: xdgConfigHome } = env;
  const credentials = home === undefined ? [] : [
    dirname(credentialsPath({ home, xdgConfigHome })),
  ];
  // Allows for a trailing newline, which is not part of the value.
  return { start: cwd, home, refused: credentials, maxBytes: MAX_VARIABLE_BYTES + 2 };
}

/** Returns the context with the current login. The user can log in while the server runs. */
async function withLoginOfNow(ctx: Context): Promise<Context> {
  if (ctx.settings.token !== undefined) return ctx;
  const { find } = await openCredentialStore(ctx.env);
  const token = find(ctx.apiUrl, ctx.workspace?.slug)?.token;
  if (token === undefined) return ctx;
  return { ...ctx, client: (facts) => ctx.client({ token, ...facts }) };
}

/** Creates the surroundings of one server's tools. */
export function makeSurroundings(ctx: Context, project: string | undefined): FolderSurroundings {
  return {
    project,
    now: ctx.now,
    api: async () => (await withLoginOfNow(ctx)).client({ phase: PHASE }),
    async open(named) {
      const given = chooseProject(named, project);
      const opened = await openProject(await withLoginOfNow(ctx), { given, phase: PHASE });
      return { api: opened.client, project: opened.project };
    },
    usualDatabase: async () => (await openProjectFolder(ctx)).config?.db.database,
    toFailure(error) {
      if (error instanceof ToolFailure) return error;
      const { apiUrl, lines } = ctx;
      return new ToolFailure({ ...toJsonError(describeError(error, { apiUrl, lines, args: [] })) });
    },
    env: (name) => ctx.env[name],
    svc: (...call) => runCommand(ctx, ...call),
    readFile: (path, folder) => readProjectFile(path, folder, fileLimits(ctx)),
  };
}
