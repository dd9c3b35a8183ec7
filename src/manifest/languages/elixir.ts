/** @module Elixir: a release, which includes its own runtime. */
import { BUILT } from "./parts.ts";
import type { Language } from "./types.ts";

/** Distributed Erlang is not needed, and the release folder is read-only. */
const RUN = "RELEASE_DISTRIBUTION=none RELEASE_TMP=/tmp RELEASE_COOKIE=svc PHX_SERVER=true";

export const elixir: Language = {
  id: "elixir",
  name: "Elixir",
  files: ["mix.exs"],
  async plan(reader) {
    const text = await reader.readText("mix.exs") ?? "";
    const app = /\bapp:\s*:(\w+)/.exec(text)?.[1];
    const server = /\{:(phoenix|plug_cowboy|bandit|cowboy)\b/.exec(text)?.[1];
    if (app === undefined || server === undefined) return undefined;
    const assets = /["']?assets\.deploy["']?:/.test(text) ? "mix assets.deploy && " : "";
    return {
      reason: `mix.exs requires ${server}`,
      toolchains: ["elixir"],
      build: "export MIX_ENV=prod && mix local.hex --force --if-missing && " +
        "mix local.rebar --force --if-missing && mix deps.get --only prod && " +
        `${assets}mix release --overwrite --path ${BUILT}/release`,
      start: `${RUN} exec bin/${app} start`,
      entry: `bin/${app}`,
      placements: [{ from: `${BUILT}/release`, to: "." }],
      memoryMb: 512,
    };
  },
};
