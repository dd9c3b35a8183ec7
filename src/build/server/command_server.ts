/** @module Describes a server that runs any program: its unchanged files and its start command. */
import type { ComputeLayer } from "../../manifest/mod.ts";
import { BuildError } from "../build_error.ts";
import type { BuildHost } from "../types.ts";
import type { PreparedServer, ServerFacts } from "./types.ts";

/** Maximum length of a command in messages, in characters. */
const SHOWN = 200;

/**
 * Describes the server.
 *
 * @throws {BuildError} if it has no start command
 */
export function commandServer(
  host: BuildHost,
  layer: ComputeLayer,
  { facts, reason }: { readonly facts: ServerFacts; readonly reason: string },
): PreparedServer {
  const command = facts.settings.server?.command ?? layer.runtime?.command ??
    facts.found?.command;
  if (command === undefined) {
    throw new BuildError(
      "manifest_invalid",
      `Set a command for the server ${layer.entry}: the engine "command" requires one`,
      { hint: 'Set command = "…" under [server] in svc.toml; it must listen on $PORT' },
    );
  }
  const shown = command.length > SHOWN ? `${command.slice(0, SHOWN)}…` : command;
  host.say("build", "info", `The server starts with ${shown}: ${reason}`);
  return {
    layer: { ...layer, runtime: { ...layer.runtime, engine: "command", command } },
    report: { layer: layer.name, entry: layer.entry, engine: "command", reason },
    contents: [],
    dropped: new Set(),
    links: {},
  };
}
