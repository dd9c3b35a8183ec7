/**
 * Creates the pair of keys for encrypted backups.
 *
 * @module
 */
import { CliError } from "../errors/cli_error.ts";
import type { Context } from "../session/context.ts";

/** Writes a secret key to a new file, as `age-keygen` does, and prints the public one. */
export async function createBackupKey(ctx: Context, path: string): Promise<void> {
  const { makeKeyPair } = await import("../../serve/mod.ts");
  const { identity, recipient } = await makeKeyPair();
  const text = `# created: ${
    new Date(ctx.now()).toISOString()
  }\n# public key: ${recipient}\n${identity}\n`;
  try {
    await Deno.writeTextFile(path, text, { createNew: true, mode: 0o600 });
  } catch (cause) {
    if (!(cause instanceof Deno.errors.AlreadyExists)) throw cause;
    throw new CliError("backup_unusable", `Cannot write ${path}: it already exists`, {
      hint: "Use another file: without its secret key, older backups cannot be opened",
    });
  }
  ctx.ui.done("env", `Created the secret key ${path}`);
  ctx.ui.note(
    "Store a copy of it away from the platform: without it, nobody can open the backups. " +
      `The platform needs only the public key: svc serve --backup-recipient ${recipient}`,
  );
  ctx.ui.result({ path, recipient }, recipient);
}
