/** @module A temporary PostgreSQL server on a base backup, recovered to a point in time. */
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { removeTree } from "../../../lib/missing_files.ts";
import { readTextFile } from "../../../lib/utf8.ts";
import { EngineError } from "../../types.ts";
import { closeQuietly } from "../../wire/connection.ts";
import { connectServer } from "../connect_server.ts";
import type { Login } from "../server_address.ts";
import { attachedServer, type ServerSource } from "../server_source.ts";
import { makePrivate, runAsOwner, socketFolder } from "./cluster_files.ts";
import type { ClusterOwner } from "./cluster_owner.ts";
import { restoreCommand } from "./history_files.ts";
import { runningServer } from "./running_server.ts";
import { type SettingRow, settingsText } from "./server_settings.ts";

const PORT = 5432;
const LOOK_MS = 100;
/**
 * Maximum time until the server is ready, in milliseconds. The server usually replays at most a day
 * of work.
 */
const RECOVERY_MS = 60 * 60_000;
const LAST_LINES = 3;

export interface RecoveredOptions {
  readonly programsFolder: string;
  readonly owner: ClusterOwner | undefined;
  /** Settings of the server that created the base backup. */
  readonly settings: (socketFolder: string) => readonly SettingRow[];
  readonly login: Login;
  /** Folder of the server's files, which is removed at the end. */
  readonly folder: string;
  readonly history: string;
  readonly base: string;
  readonly manifest: string;
  /** The point in time, in milliseconds since 1970. */
  readonly time: number;
}

type Programs = Pick<RecoveredOptions, "owner" | "programsFolder">;

/** @throws {EngineError} */
export async function withRecovered<T>(
  options: RecoveredOptions,
  work: (server: ServerSource) => Promise<T>,
): Promise<T> {
  const { folder, programsFolder, login } = options;
  try {
    const path = join(await start(options), `.s.PGSQL.${PORT}`);
    const address = { endpoint: { transport: "unix" as const, path }, tls: undefined };
    await untilRecovered(folder, () => connectServer(address, login));
    return await work(attachedServer(programsFolder, { address, login }));
  } finally {
    await endRecovered(folder, options);
  }
}

/**
 * Stops the server in a folder, even if a killed platform has started it, and removes the folder.
 */
export async function endRecovered(
  folder: string,
  { programsFolder, owner }: Programs,
): Promise<void> {
  const data = join(folder, "data");
  const server = await runningServer(data);
  if (server !== undefined) {
    await runAsOwner(join(programsFolder, "pg_ctl"), {
      args: ["stop", `--pgdata=${data}`, "--silent", "--mode=immediate", "--wait"],
      owner,
    });
  }
  await removeTree(folder);
}

async function start(options: RecoveredOptions): Promise<string> {
  const { folder, programsFolder, owner, base, manifest, settings, history, time } = options;
  const data = join(folder, "data");
  for (const each of [folder, data]) await makePrivate(each, owner);
  const run = (program: string, args: readonly string[]) => runAsOwner(program, { args, owner });
  await run("tar", ["-xzf", base, "-C", data]);
  await run(join(programsFolder, "pg_verifybackup"), [
    "--no-parse-wal",
    "--exit-on-error",
    `--manifest-path=${manifest}`,
    data,
  ]);
  const socket = await socketFolder(folder, owner);
  const recovery: readonly SettingRow[] = [
    ...settings(socket),
    ["archive_mode", "off"],
    // Connections are rejected until recovery has reached the point in time.
    ["hot_standby", "off"],
    ["restore_command", restoreCommand(history)],
    ["recovery_target_time", new Date(time).toISOString().replace("Z", "+00")],
    ["recovery_target_timeline", "current"],
    ["recovery_target_action", "promote"],
    // Flushing is unnecessary, because the files are removed after the work.
    ["fsync", "off"],
    ["logging_collector", "off"],
  ];
  await Deno.writeTextFile(join(data, "postgresql.conf"), settingsText(recovery));
  await Deno.writeTextFile(join(data, "recovery.signal"), "");
  const log = `--log=${join(folder, "start.log")}`;
  await run(join(programsFolder, "pg_ctl"), [
    "start",
    `--pgdata=${data}`,
    "--silent",
    "--no-wait",
    log,
  ]);
  return socket;
}

async function untilRecovered(
  folder: string,
  connect: () => ReturnType<typeof connectServer>,
): Promise<void> {
  const end = performance.now() + RECOVERY_MS;
  // The server writes its process ID a moment after it has started.
  for (let looks = 0; performance.now() < end; looks++) {
    const opened = await connect().catch(() => undefined);
    if (opened !== undefined) return closeQuietly(opened.connection);
    const runs = await runningServer(join(folder, "data")) !== undefined;
    if (!runs && looks > 20) break;
    await delay(LOOK_MS);
  }
  const said = await readTextFile(join(folder, "start.log")).catch(() => "");
  const words = said.trim().split("\n").slice(-LAST_LINES).join(" ");
  throw new EngineError(`The history cannot be restored: ${words}`, "58000");
}
