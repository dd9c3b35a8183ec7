import type { Client } from "../../client/client.ts";
import { getIdentity, type Identity } from "../../contract/identity.ts";
import { defineCommand } from "../command/command.ts";
import { WORKSPACE_SOURCES } from "../session/workspace_choice.ts";
import { formatFacts } from "../terminal/table.ts";

const KIND = { api_key: "key", access_token: "login", session: "session" } as const;

/** Describes a key or login by its name and first characters. A session has only a name. */
function described({ name, prefix, createdAt }: Identity["credential"]): string {
  const mark = prefix === null ? "" : ` (${prefix}…)`;
  return `${name}${mark}, since ${createdAt.slice(0, 10)}`;
}

/** Returns the limits of an API key, or an empty list for a login. */
async function limits(client: Client, { grant }: Identity): Promise<[string, string][]> {
  if (grant === null) return [];
  const { permissions, projects, expiresAt } = grant;
  const names = projects === null ? "all" : await namesOfProjects(client);
  return [
    ["can", permissions.join(", ")],
    ["projects", names],
    ["ends", expiresAt ?? "never"],
  ];
}

/** Loads the code that lists projects only for keys that are limited to certain projects. */
async function namesOfProjects(client: Client): Promise<string> {
  const { nameKeyProjects } = await import("./key_projects.ts");
  return await nameKeyProjects(client);
}

export default defineCommand({
  define: (command) => command,
  examples: [
    ["whoami", "show the current user and key"],
    ["whoami --json", "the same for scripts"],
  ],
  async run(_, ctx) {
    const client = ctx.client({ phase: "auth" });
    const identity = await client.call(getIdentity, {});
    const { user, workspace, credential } = identity;
    const source = ctx.workspace === undefined
      ? "the key"
      : WORKSPACE_SOURCES[ctx.workspace.source];
    ctx.ui.result(
      { ...identity, workspaceSource: ctx.workspace?.source ?? "key", apiUrl: ctx.apiUrl },
      formatFacts([
        ["user", user.email === null ? user.name : `${user.name} <${user.email}>`],
        ["workspace", `${workspace.slug} (${workspace.role}), from ${source}`],
        [KIND[credential.type], described(credential)],
        ...(ctx.ui.json ? [] : await limits(client, identity)),
        ["platform", ctx.apiUrl],
      ]),
    );
  },
});
