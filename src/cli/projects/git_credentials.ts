import { Option } from "@commander-js/extra-typings";
import {
  type Forge,
  FORGES,
  removeGitCredentials,
  setGitCredentials,
} from "../../contract/projects.ts";
import { defineCommand } from "../command/command.ts";
import { readNamedFile, readValue } from "../command/read_value.ts";
import { actionRequired, CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { formatProject } from "./show_project.ts";

const MAX_KEY_BYTES = 20_000;
const MAX_KNOWN_HOSTS_BYTES = 100_000;

interface Flags {
  readonly username?: string | undefined;
  readonly forge?: Forge | undefined;
  readonly forgeApi?: string | undefined;
  readonly stdin?: true | undefined;
  readonly fromFile?: string | undefined;
  readonly sshKey?: string | undefined;
  readonly knownHosts?: string | undefined;
  readonly remove?: true | undefined;
}

function checkFlags(flags: Flags): void {
  const { stdin, fromFile, sshKey, knownHosts, username, forge, forgeApi, remove } = flags;
  const ways = [stdin, fromFile, sshKey, remove].filter((flag) => flag !== undefined);
  if (ways.length > 1) {
    throw new CliError("usage", "Use one of --stdin, --from-file, --ssh-key and --remove");
  }
  if (knownHosts !== undefined && sshKey === undefined) {
    throw new CliError("usage", "--known-hosts needs --ssh-key");
  }
  const ofToken = { "--username": username, "--forge": forge, "--forge-api": forgeApi };
  for (const [flag, value] of Object.entries(ofToken)) {
    if (value === undefined || sshKey === undefined && remove !== true) continue;
    throw new CliError("usage", `${flag} needs a token, not --ssh-key or --remove`);
  }
}

async function readCredentials(ctx: Context, flags: Flags) {
  const { sshKey, knownHosts, username, forge, forgeApi } = flags;
  if (sshKey !== undefined) {
    return {
      type: "ssh" as const,
      privateKey: await readNamedFile(ctx, sshKey, MAX_KEY_BYTES),
      knownHosts: knownHosts === undefined
        ? null
        : await readNamedFile(ctx, knownHosts, MAX_KNOWN_HOSTS_BYTES),
    };
  }
  if (flags.stdin !== true && flags.fromFile === undefined && ctx.prompter === undefined) {
    throw actionRequired("No token or key: use --stdin, --from-file or --ssh-key", [
      ctx.lines.again({ "--stdin": true }),
    ]);
  }
  const token = await readValue(ctx, flags, { key: "the token", category: "secret" });
  return { type: "https" as const, token, username, forge, apiUrl: forgeApi };
}

export default defineCommand({
  description:
    "Stores a token for https or a private key for ssh, encrypted on the platform. You cannot view it again. It is deleted when the git URL moves to another host. With a token, the platform sets commit statuses on GitHub, GitLab, Gitea, Forgejo or Bitbucket, and comments on pull requests.",
  define: (command) =>
    command
      .argument("<id>", "ID or name of the project")
      .option("--username <name>", "user name for the token (default: git)")
      .addOption(
        new Option(
          "--forge <name>",
          "forge of the git URL, for reports (default: detected from the host)",
        )
          .choices(FORGES),
      )
      .option("--forge-api <url>", "URL of the forge's API (default: derived from the git URL)")
      .option("--stdin", "read the token from stdin")
      .option("--from-file <path>", "read the token from this file")
      .option("--ssh-key <path>", "private key without a passphrase, for an ssh git URL")
      .option(
        "--known-hosts <path>",
        "host keys to trust (default: trust on first use)",
      )
      .option("--remove", "delete the credentials"),
  offers: { id: "project" },
  examples: [
    ["projects git-credentials blog --username ci --stdin", "set a token from a pipe"],
    ["projects git-credentials blog --forge gitea --stdin", "use a self-hosted forge"],
    ["projects git-credentials blog --ssh-key deploy_key", "a deploy key"],
    ["projects git-credentials blog --remove", "delete them"],
  ],
  async run({ args: [id], flags }, ctx) {
    checkFlags(flags);
    const client = ctx.client({ phase: "projects" });
    const params = { project: id };
    const project = flags.remove === true
      ? await client.call(removeGitCredentials, { params })
      : await client.call(setGitCredentials, {
        params,
        body: await readCredentials(ctx, flags),
      });
    const done = flags.remove === true ? "Removed" : "Stored";
    ctx.ui.done("projects", `${done} the git credentials of ${project.name}`);
    ctx.ui.result({ project }, formatProject(project));
  },
});
