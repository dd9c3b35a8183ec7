/**
 * @module Decides which engine runs a server: Node, or Deno for projects that are written for it.
 */
import { denoSign, type Engine, type ProjectReader } from "../../manifest/mod.ts";

export interface EngineChoice {
  readonly engine: Engine;
  /** The reason, as a clause. */
  readonly reason: string;
}

export interface EngineFacts {
  /** `runtime` under `[build]` in `svc.toml`. */
  readonly configured: Engine | undefined;
  /** `runtime.engine` of the layer, if the build wrote the manifest. */
  readonly written: Engine | undefined;
  /** Shell command that starts the server, if it is a program in another language. */
  readonly command?: string | undefined;
  /** True if detection found a server for Deno. */
  readonly forDeno: boolean;
  /** Whether detection found any server. False if the build wrote the manifest. */
  readonly isFound: boolean;
  readonly hasPackageJson: boolean;
  readonly hasDenoJson: boolean;
  /** The entry's source, or `undefined` if the file does not exist yet. */
  readonly entry: string | undefined;
}

/** Returns why a server is for Deno, as a clause, or `undefined` if it is for Node. */
function whyDeno(facts: EngineFacts): string | undefined {
  if (facts.forDeno) return "it uses Deno APIs";
  if (facts.hasDenoJson && !facts.hasPackageJson) {
    return "the project has a deno.json and no package.json";
  }
  if (facts.isFound) return undefined;
  const sign = denoSign(facts.entry ?? "");
  if (sign !== undefined) return `its entry ${sign}`;
  return facts.hasPackageJson ? undefined : "its manifest sets no engine";
}

/** Returns the requested engine, or else the engine that the project is written for. */
export function decideEngine(facts: EngineFacts): EngineChoice {
  const { configured, written, command } = facts;
  if (configured !== undefined) {
    return { engine: configured, reason: "svc.toml sets build.runtime" };
  }
  if (written !== undefined) return { engine: written, reason: "its manifest sets the engine" };
  if (command !== undefined) {
    return { engine: "command", reason: "it uses neither Node nor Deno APIs" };
  }
  const reason = whyDeno(facts);
  if (reason !== undefined) return { engine: "deno", reason };
  return {
    engine: "node",
    reason: facts.hasPackageJson ? "the project has a package.json" : "it uses Node APIs",
  };
}

/**
 * Checks for `package.json` and `deno.json`, which distinguish Node projects from Deno projects.
 */
export async function readProjectKind(
  project: ProjectReader,
): Promise<Pick<EngineFacts, "hasPackageJson" | "hasDenoJson">> {
  const [hasPackageJson, ...configs] = await Promise.all(
    ["package.json", "deno.json", "deno.jsonc"].map((path) => project.exists(path)),
  );
  return { hasPackageJson: hasPackageJson!, hasDenoJson: configs.includes(true) };
}
