/** @module Reports what an interrupted command has done, and how to check the result. */
import type { ChangeOutcome, Exchange } from "../../client/client.ts";
import { CliError } from "./cli_error.ts";
import type { SuggestedCommands } from "./suggested_commands.ts";

/** A request that changes something. */
export interface Change extends Pick<Exchange, "method" | "path"> {
  readonly outcome: ChangeOutcome | "pending";
}

/** Commands that show the current state of one part of a project. */
const SHOWN_BY: Readonly<Record<string, readonly string[]>> = {
  builds: ["builds", "list"],
  databases: ["db", "list"],
  deployments: ["deployments", "list"],
  domains: ["domains", "list"],
  environments: ["environments", "list"],
  hooks: ["hooks", "list"],
  rollback: ["deployments", "list"],
  rules: ["rules", "list"],
  variables: ["env", "list", "--all"],
};

/** Returns the command that shows the result of a change, if there is one. */
function checkLine({ path }: Change, lines: SuggestedCommands): readonly string[] {
  const [, deployment] = /^\/v1\/deployments\/([^/?]+)/.exec(path) ?? [];
  if (deployment !== undefined) return [lines.of("deployments", "info", deployment)];
  const [, project, part] = /^\/v1\/projects\/([^/?]+)(?:\/([\w-]+))?/.exec(path) ?? [];
  if (project === undefined) return [];
  const words = SHOWN_BY[part ?? ""];
  return words === undefined
    ? [lines.of("projects", "info", project)]
    : [lines.of(...words, "--project-id", project)];
}

const list = (changes: readonly Change[]): string =>
  changes.map(({ method, path }) => `${method} ${path}`).join(", ");

/**
 * Creates the error for a command that the user has stopped. `changes` lists the changes that the
 * command had started, in order.
 */
export function interrupted(
  changes: readonly Change[] = [],
  lines?: SuggestedCommands | undefined,
): CliError {
  const done = changes.filter(({ outcome }) => outcome === "done");
  const open = changes.filter(({ outcome }) => outcome === "pending" || outcome === "unknown");
  const parts = [
    ...(done.length === 0 ? [] : [`the platform completed ${list(done)}`]),
    ...(open.length === 0 ? [] : [`the platform may have completed ${list(open)}`]),
  ];
  if (parts.length === 0) return new CliError("interrupted", "Interrupted");
  const next = lines === undefined
    ? []
    : [...new Set([...done, ...open].flatMap((change) => checkLine(change, lines)))];
  return new CliError("interrupted", `Interrupted: ${parts.join("; ")}`, {
    hint: "Nothing was undone. Check the current state before you continue",
    ...(next.length === 0 ? {} : { next }),
  });
}

/** Creates the error for a command that the user has stopped while it was cleaning up. */
export function cutShort(
  changes: readonly Change[],
  lines: SuggestedCommands | undefined,
): CliError {
  const message = "Interrupted before the command could clean up";
  const { message: said, facts } = interrupted(changes, lines);
  return said === "Interrupted"
    ? new CliError("interrupted", message)
    : new CliError("interrupted", said.replace("Interrupted", message), facts);
}
