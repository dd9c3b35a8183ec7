/** @module Creates command lines for each package manager. Pure. */
import type { PackageManager } from "./types.ts";

interface Calls {
  readonly run: string;
  readonly exec: string;
  readonly add: string;
  readonly addDev: string;
}

/**
 * The start of each package manager's commands for running a package.json script, running a
 * dependency's program, and adding packages.
 */
const CALLS: Readonly<Record<PackageManager, Calls>> = {
  npm: { run: "npm run", exec: "npx", add: "npm install ", addDev: "npm install --save-dev " },
  pnpm: { run: "pnpm run", exec: "pnpm exec", add: "pnpm add ", addDev: "pnpm add --save-dev " },
  yarn: { run: "yarn run", exec: "yarn run", add: "yarn add ", addDev: "yarn add --dev " },
  bun: { run: "bun run", exec: "bunx", add: "bun add ", addDev: "bun add --dev " },
  deno: {
    run: "deno task",
    exec: "deno run -A npm:",
    add: "deno add npm:",
    addDev: "deno add --dev npm:",
  },
};

/** Returns the command line that runs a package.json script. */
export function runScript(manager: PackageManager, script: string): string {
  return `${CALLS[manager].run} ${script}`;
}

/** Returns the command line that runs a program from the npm package `package`. */
export function runProgram(
  manager: PackageManager,
  program: { readonly commandLine: string; readonly package: string },
): string {
  if (manager !== "deno") return `${CALLS[manager].exec} ${program.commandLine}`;
  const args = program.commandLine.split(" ").slice(1);
  return [`${CALLS.deno.exec}${program.package}`, ...args].join(" ");
}

/** Returns the command line that adds a package to a project. */
export function addPackage(manager: PackageManager, name: string, kind?: "dev"): string {
  return `${kind === "dev" ? CALLS[manager].addDev : CALLS[manager].add}${name}`;
}
