/**
 * What runs a server: the sandbox on Deno, or Node itself. Pure.
 *
 * @module
 */
import type { Engine } from "../../manifest/mod.ts";
import type { NodeNeed, ServerBundleResult } from "../../runtime/mod.ts";

export interface EngineChoice {
  readonly engine: Engine;
  /** Why, as a clause. */
  readonly reason: string;
}

/** What is known before anything is bundled. */
export interface EngineWishes {
  /** `[build] runtime` of `svc.toml`. */
  readonly configured: Engine | undefined;
  /** `runtime.engine` of the layer in a manifest that the build wrote. */
  readonly written: Engine | undefined;
  /** Why the framework needs Node itself. */
  readonly framework: string | undefined;
  /** Whether the server is written for Deno, which Node cannot run. */
  readonly forDeno: boolean;
}

/** The engine that was asked for; `undefined` where bundling decides. */
export function wishedEngine(wishes: EngineWishes): EngineChoice | undefined {
  const { configured, written, framework, forDeno } = wishes;
  if (configured !== undefined) {
    return { engine: configured, reason: "svc.toml sets build.runtime" };
  }
  if (written !== undefined) return { engine: written, reason: "its manifest says so" };
  if (forDeno) return { engine: "deno", reason: "it is written for Deno" };
  return framework === undefined ? undefined : { engine: "node", reason: framework };
}

/** Names that a reason gives. */
const SHOWN = 3;

const VERBS: Readonly<Record<NodeNeed["kind"], readonly [one: string, many: string]>> = {
  native: ["has a native addon", "have native addons"],
  computed: ["loads modules by computed names", "load modules by computed names"],
  worker: ["starts threads from files", "start threads from files"],
};

/** A package in quotation marks, a file as it is. */
const show = (subject: string): string => /\.[cm]?js$/.test(subject) ? subject : `"${subject}"`;

/** What needs Node, as a clause: `"sharp" has a native addon`. */
export function describeNeed(kind: NodeNeed["kind"], subjects: readonly string[]): string {
  const names = subjects.slice(0, SHOWN).map(show);
  if (subjects.length > SHOWN) names.push(`${subjects.length - SHOWN} more`);
  const [one, many] = VERBS[kind];
  if (names.length === 1) return `${names[0]} ${one}`;
  return `${names.slice(0, -1).join(", ")} and ${names.at(-1)} ${many}`;
}

/** All that a bundle needs, its native addons first; those that are expected left out. */
export function needsOf(
  { native, needs }: { readonly native: readonly string[]; readonly needs: readonly NodeNeed[] },
  isExpected: (name: string) => boolean,
): readonly string[] {
  const all = [
    ...native.filter((name) => !isExpected(name)).map((subject) => ({
      kind: "native" as const,
      subject,
    })),
    ...needs,
  ];
  return (["native", "computed", "worker"] as const).flatMap((kind) => {
    const subjects = all.filter((need) => need.kind === kind).map(({ subject }) => subject);
    return subjects.length === 0 ? [] : [describeNeed(kind, subjects)];
  });
}

const BUNDLED: EngineChoice = { engine: "deno", reason: "it is bundled into one module" };

/** Imports that no engine finds: of the project's own modules, or from an address. */
function isHopeless({ code, file }: { readonly code: string; readonly file: string }): boolean {
  return code === "import_refused" ||
    (code === "import_missing" && !file.includes("node_modules/"));
}

/**
 * Decides by what bundling found. A bundle that fails for reasons that Node shares
 * stays with Deno, whose problems are then shown.
 */
export function judgeBundle(
  result: ServerBundleResult,
  isExpected: (name: string) => boolean,
): EngineChoice {
  if (result.ok) {
    const [reason] = needsOf(result.bundle, isExpected);
    return reason === undefined ? BUNDLED : { engine: "node", reason };
  }
  const { problems } = result;
  if (problems.some(isHopeless)) return BUNDLED;
  const native = problems.filter(({ code }) => code === "native_addon");
  if (native.length > 0) {
    const reason = describeNeed("native", native.map(({ subject, file }) => subject ?? file));
    return { engine: "node", reason };
  }
  return { engine: "node", reason: `it cannot be bundled (${problems[0]?.message})` };
}
