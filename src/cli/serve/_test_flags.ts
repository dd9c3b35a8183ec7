/**
 * For tests: the options of a platform that `svc serve` starts.
 *
 * @module
 */
import { Command } from "@commander-js/extra-typings";
import type { PlatformOptions } from "../../serve/mod.ts";
import type { Context } from "../session/context.ts";
import { defineServeFlags } from "./flags.ts";
import { readPlatformOptions } from "./platform_options.ts";

/** What these flags set. */
export function optionsOf(
  argv: readonly string[] = [],
  env: Context["env"] = {},
): Promise<PlatformOptions> {
  // As much of a context as flags and environment need.
  const ctx = { env, path: (given: string) => given } as Context;
  const flags = defineServeFlags(new Command()).parse(argv, { from: "user" }).opts();
  return readPlatformOptions(ctx, "/data", flags);
}
