/** @module The environment of the project's dev server. Pure. */
import { delimiter, join } from "node:path";
import { childVariables } from "../lib/child_variables.ts";
import { inspectorAddress } from "./inspectors.ts";
import type { Inspect } from "./options.ts";

export interface EnvironmentFacts {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The project's variables on the platform. */
  readonly variables: Readonly<Record<string, string>>;
  /** Variables that this program adds, unless the user has set them. */
  readonly local: Readonly<Record<string, string>>;
  readonly directory: string;
  readonly port: number;
  readonly host: string | undefined;
  readonly inspect: Inspect;
  readonly inspectorPort: number | undefined;
}

/** Returns the Node options that open the inspector, appended to the user's own options. */
function nodeOptions(
  own: string | undefined,
  { inspect, inspectorPort }: Pick<EnvironmentFacts, "inspect" | "inspectorPort">,
): Record<string, string> {
  if (inspectorPort === undefined) return {};
  const flag = `--inspect${inspect === "break" ? "-brk" : ""}=${inspectorAddress(inspectorPort)}`;
  return { NODE_OPTIONS: own === undefined || own === "" ? flag : `${own} ${flag}` };
}

/**
 * Builds the complete environment: the environment of this program, overridden by the project's
 * variables (except those that select code to run), followed by this program's additions.
 */
export function serverEnvironment(facts: EnvironmentFacts): {
  readonly env: Record<string, string>;
  /** Names of the project's variables that were left out. */
  readonly heldBack: readonly string[];
} {
  const { directory, port, host } = facts;
  const { env, heldBack } = childVariables(facts.env, facts.variables, []);
  const bin = join(directory, "node_modules", ".bin");
  const added = Object.entries(facts.local).filter(([name]) => facts.env[name] === undefined);
  return {
    heldBack,
    env: {
      ...env,
      ...Object.fromEntries(added),
      PATH: env.PATH === undefined ? bin : `${bin}${delimiter}${env.PATH}`,
      PORT: String(port),
      ...(host === undefined ? {} : { HOST: host }),
      ...nodeOptions(env.NODE_OPTIONS, facts),
    },
  };
}
