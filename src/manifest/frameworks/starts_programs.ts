/**
 * @module Signs that a server starts programs or other processes, which Node may do in the sandbox
 * only if a start command started it. Pure.
 */
import { importOf } from "./server_code.ts";

const MODULES = importOf("(?:node:)?(?:child_process|cluster)");

/** Packages that do not work without starting a program. */
const PACKAGES: ReadonlySet<string> = new Set([
  "cross-spawn",
  "esbuild",
  "execa",
  "fluent-ffmpeg",
  "nano-spawn",
  "playwright",
  "playwright-core",
  "puppeteer",
  "puppeteer-core",
  "sass-embedded",
  "shelljs",
  "simple-git",
  "tinyexec",
  "zx",
]);

/**
 * Whether a server is known to start programs.
 *
 * @param code text of its own modules
 * @param packages names of its runtime dependencies
 */
export const startsPrograms = (code: string, packages: readonly string[]): boolean =>
  MODULES.test(code) || packages.some((name) => PACKAGES.has(name));
