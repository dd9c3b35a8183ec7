/** @module The configuration of a local PostgreSQL server. */

const MIB = 1024 ** 2;
/** Fraction of the machine's memory for pages that all databases share. */
const SHARED_PART = 1 / 8;
const MOST_SHARED_MB = 4096;
const LEAST_SHARED_MB = 64;
const MAX_CONNECTIONS = 300;
/** Maximum size of one server process's temporary files, for sorts and hashes, in MiB. */
const TEMPORARY_MB = 4096;
/**
 * Fraction of the machine's memory for each process in addition to the shared pages, and the
 * minimum in MiB.
 */
const PROCESS_PART = 1 / 4;
const LEAST_PROCESS_MB = 1024;

const sharedMb = (memoryBytes: number): number =>
  Math.max(
    LEAST_SHARED_MB,
    Math.min(MOST_SHARED_MB, Math.floor(memoryBytes * SHARED_PART / MIB)),
  );

/**
 * Returns the address space that each process of the server can use, in MiB. A statement that needs
 * more fails with 53200. Otherwise, it could exhaust the machine's memory, which would kill other
 * programs.
 */
export function processMemoryMb(memoryBytes: number): number {
  const own = Math.max(LEAST_PROCESS_MB, Math.floor(memoryBytes * PROCESS_PART / MIB));
  return sharedMb(memoryBytes) + own;
}

export type SettingRow = readonly [name: string, value: string];

/** Returns the settings of the server. The server's log contains neither SQL nor row values. */
export function serverSettings(
  { socketFolder, port, memoryBytes }: {
    readonly socketFolder: string;
    readonly port: number;
    readonly memoryBytes: number;
  },
): readonly SettingRow[] {
  return [
    ["listen_addresses", ""],
    ["port", String(port)],
    ["unix_socket_directories", socketFolder],
    ["unix_socket_permissions", "0700"],
    ["max_connections", String(MAX_CONNECTIONS)],
    ["password_encryption", "scram-sha-256"],
    ["shared_buffers", `${sharedMb(memoryBytes)}MB`],
    ["temp_file_limit", `${TEMPORARY_MB}MB`],
    ["max_wal_size", "1GB"],
    ["client_connection_check_interval", "10s"],
    ["logging_collector", "on"],
    ["log_directory", "log"],
    ["log_filename", "postgresql-%a.log"],
    ["log_truncate_on_rotation", "on"],
    ["log_rotation_age", "1d"],
    ["log_rotation_size", "0"],
    ["log_min_messages", "log"],
    ["log_min_error_statement", "panic"],
    ["log_error_verbosity", "terse"],
    ["log_statement", "none"],
    ["log_parameter_max_length_on_error", "0"],
    ["datestyle", "iso, mdy"],
    ["timezone", "UTC"],
    ["log_timezone", "UTC"],
  ];
}

/** Returns the text of `postgresql.conf`. If a name occurs twice, the second value applies. */
export function settingsText(settings: readonly SettingRow[]): string {
  const lines = settings.map(([name, value]) =>
    `${name} = '${value.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`
  );
  return `# Written by svc at each start.\n${lines.join("\n")}\n`;
}
