/**
 * @module Finds signs that a server starts programs or other processes. In the sandbox, Node is
 * allowed to start programs only if Node itself was started by a start command. Pure.
 */
import { importOf } from "./server_code.ts";

const MODULES = importOf("(?:node:)?(?:child_process|cluster)");

/** Packages that need to start a program to work. */
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
 * Returns whether a server is known to start programs.
 *
 * @param code text of the server's own modules
 * @param packages names of the server's runtime dependencies
 */
export const startsPrograms = (code: string, packages: readonly string[]): boolean =>
  MODULES.test(code) || packages.some((name) => PACKAGES.has(name));
