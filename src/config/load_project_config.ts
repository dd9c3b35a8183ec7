import { join } from "node:path";
import type { Diagnostic } from "../lib/diagnostic.ts";
import { describeFileFault } from "../lib/file_fault.ts";
import { decodeUtf8, utf8Diagnostic } from "../lib/utf8.ts";
import type { ProjectConfig } from "./project_config.ts";
import { PROJECT_CONFIG_FILE } from "./project_root.ts";

/** The `svc.toml` of a directory. `path` is always its full path. */
type LoadedProjectConfig =
  | {
    readonly status: "found";
    readonly path: string;
    readonly source: string;
    readonly config: ProjectConfig;
  }
  | { readonly status: "missing"; readonly path: string }
  | {
    readonly status: "invalid";
    readonly path: string;
    /** Missing if the file could not be read as text. */
    readonly source?: string;
    readonly diagnostics: readonly Diagnostic[];
  };

function refuse(path: string, code: string, message: string): LoadedProjectConfig {
  return {
    status: "invalid",
    path,
    diagnostics: [{ severity: "error", code, message, path: "" }],
  };
}

function isAbsent(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound || error instanceof Deno.errors.NotADirectory;
}

/**
 * Loads the `svc.toml` of a directory. A missing or unusable file is a result, not an exception.
 * The parser is loaded only if there is a file.
 */
export async function loadProjectConfig(directory: string): Promise<LoadedProjectConfig> {
  const path = join(directory, PROJECT_CONFIG_FILE);
  let bytes: Uint8Array;
  try {
    const { isFile, size } = await Deno.stat(path);
    if (!isFile) return refuse(path, "not_a_file", "Make it a file: it is a directory or a device");
    const { PROJECT_CONFIG_LIMITS: { maxBytes } } = await import("./project_config.ts");
    if (size > maxBytes) {
      return refuse(path, "toml_size", `Keep the file within ${maxBytes} bytes: it has ${size}`);
    }
    bytes = await Deno.readFile(path);
  } catch (error) {
    if (isAbsent(error)) return { status: "missing", path };
    return refuse(path, "unreadable", `Make the file readable: ${describeFileFault(error)}`);
  }
  const decoded = decodeUtf8(bytes, { keepMark: true });
  if (!decoded.ok) {
    return { status: "invalid", path, diagnostics: [utf8Diagnostic(decoded.fault)] };
  }
  const source = decoded.text;
  const { parseProjectConfig } = await import("./project_config.ts");
  const { config, diagnostics } = parseProjectConfig(source);
  return config === undefined
    ? { status: "invalid", path, source, diagnostics }
    : { status: "found", path, source, config };
}
