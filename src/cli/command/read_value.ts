/** @module Reads the value of a variable. No message repeats the value. */
import { MAX_VARIABLE_BYTES, type VariableCategory } from "../../contract/variables.ts";
import { actionRequired, CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";
import { readLimited } from "../../lib/read_limited.ts";
import { decodeUtf8 } from "../../lib/utf8.ts";

export interface ValueFlags {
  readonly value?: string | undefined;
  readonly stdin?: true | undefined;
  readonly fromFile?: string | undefined;
  readonly allowEmpty?: true | undefined;
}

interface ValueFacts {
  readonly key: string;
  readonly category: VariableCategory;
}

/** A source of bytes. Messages use its name. */
interface Source {
  readonly name: string;
  readonly maxBytes: number;
}

/** Maximum length in bytes of a line break at the end of a value from stdin or a file. */
const LINE_BREAK_BYTES = 2;

/**
 * Rejects flags that exclude each other. Also rejects a secret on the command line, because other
 * programs can see it there and the shell stores it.
 */
export function checkValueFlags(
  ctx: Context,
  flags: ValueFlags,
  { key, category }: ValueFacts,
): void {
  const given = [
    ...(flags.value === undefined ? [] : ["--value"]),
    ...(flags.stdin === true ? ["--stdin"] : []),
    ...(flags.fromFile === undefined ? [] : ["--from-file"]),
  ];
  if (given.length > 1) {
    throw new CliError("usage", `Use only one of ${given.join(" and ")}`);
  }
  if (flags.value !== undefined && category === "secret") {
    throw new CliError(
      "usage",
      `Pass the secret ${key} with --stdin or --from-file. --value would show it in the process list and the shell history`,
      { next: [ctx.lines.again({ "--value": undefined, "--stdin": true })] },
    );
  }
}

/** Reads text of limited size, without a byte order mark. */
async function readText(stream: ReadableStream<Uint8Array>, source: Source): Promise<string> {
  const bytes = await readLimited(stream, source.maxBytes);
  if (bytes === undefined) {
    throw new CliError("usage", `${source.name} has more than ${source.maxBytes} bytes`);
  }
  const decoded = decodeUtf8(bytes);
  if (decoded.ok) return decoded.text;
  const { line, column } = decoded.fault.position;
  throw new CliError(
    "usage",
    `${source.name} is not UTF-8 at line ${line}, column ${column}`,
  );
}

export async function readPiped(ctx: Context, maxBytes: number): Promise<string> {
  return await readText(ctx.stdin(), { name: "stdin", maxBytes });
}

/** Reads a text file that the user named. */
export async function readNamedFile(
  ctx: Context,
  given: string,
  maxBytes: number,
): Promise<string> {
  let file: Deno.FsFile;
  try {
    file = await Deno.open(ctx.path(given));
    if ((await file.stat()).isDirectory) {
      file.close();
      throw new CliError("usage", `"${given}" is a directory, not a file`);
    }
  } catch (cause) {
    if (cause instanceof CliError) throw cause;
    const reason = cause instanceof Deno.errors.NotFound
      ? "it does not exist"
      : "it cannot be opened";
    throw new CliError("not_found", `Cannot read "${given}": ${reason}`, {
      cause,
    });
  }
  return await readText(file.readable, { name: `"${given}"`, maxBytes });
}

/** Removes the single line break that `echo` and editors add at the end. */
export function withoutFinalNewline(text: string): string {
  return text.replace(/\r?\n$/, "");
}

async function ask(ctx: Context, { key, category }: ValueFacts): Promise<string> {
  if (ctx.prompter === undefined) {
    throw actionRequired(`No value for ${key}: use --value, --stdin or --from-file`, [
      ctx.lines.again({ "--stdin": true }),
    ]);
  }
  return await ctx.prompter.value({ message: `Value of ${key}`, isShown: category === "plain" });
}

async function read(ctx: Context, flags: ValueFlags, facts: ValueFacts): Promise<string> {
  if (flags.value !== undefined) return flags.value;
  const maxBytes = MAX_VARIABLE_BYTES + LINE_BREAK_BYTES;
  if (flags.fromFile !== undefined) {
    return withoutFinalNewline(await readNamedFile(ctx, flags.fromFile, maxBytes));
  }
  const isPiped = !ctx.stdinIsTerminal || ctx.prompter === undefined;
  if (flags.stdin === true && isPiped) {
    return withoutFinalNewline(await readText(ctx.stdin(), { name: "stdin", maxBytes }));
  }
  return await ask(ctx, facts);
}

/** Describes the problem with a value, if any, without repeating the value. */
export function checkValue(
  value: string,
  { category, allowEmpty }: {
    readonly category: VariableCategory;
    readonly allowEmpty: boolean | undefined;
  },
): string | undefined {
  const bytes = new TextEncoder().encode(value).byteLength;
  if (bytes > MAX_VARIABLE_BYTES) {
    return `must be at most ${MAX_VARIABLE_BYTES} bytes, not ${bytes}`;
  }
  if (value.includes("\0")) return "must not contain a NUL character";
  if (value !== "") return undefined;
  if (category === "secret") return "must not be empty";
  return allowEmpty === true
    ? undefined
    : "must not be empty. To store an empty value, use --allow-empty";
}

/**
 * Reads the value. A single line break at the end of stdin or a file is removed. Without a flag,
 * asks the user. On a terminal, `--stdin` also asks, and the value is not shown.
 */
export async function readValue(
  ctx: Context,
  flags: ValueFlags,
  facts: ValueFacts,
): Promise<string> {
  const value = await read(ctx, flags, facts);
  const { category } = facts;
  const wanted = checkValue(value, { category, allowEmpty: flags.allowEmpty });
  if (wanted === undefined) return value;
  throw new CliError("usage", `Invalid value for ${facts.key}: it ${wanted}`);
}
