/**
 * Starting other programs. All that run, or look at, foreign code are started
 * here, so that none of them gets what is open in this process.
 *
 * @module
 */
import { keepDescriptors } from "./descriptors.ts";

/**
 * Starts a program that gets standard input, output and error as the options
 * say, and no other descriptor: not even one that this process has inherited.
 *
 * @throws as `Deno.Command#spawn`
 */
export function spawnProgram(program: string, options: Deno.CommandOptions): Deno.ChildProcess {
  keepDescriptors();
  return new Deno.Command(program, options).spawn();
}

/**
 * As `spawnProgram()`, to its end; output that is not asked for otherwise is collected.
 *
 * @throws as `Deno.Command#output`
 */
export function runProgram(
  program: string,
  options: Deno.CommandOptions,
): Promise<Deno.CommandOutput> {
  keepDescriptors();
  return new Deno.Command(program, options).output();
}
