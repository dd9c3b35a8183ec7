import { DATA_FORMAT } from "../../lib/data_format.ts";
import { describeFileFault } from "../../lib/file_fault.ts";
import { CliError } from "../errors/cli_error.ts";
import { VERSION } from "../version.ts";

export interface InstalledProgram {
  /** Its real path, with no symbolic link in it. */
  readonly path: string;
  readonly version: string;
  /** The compiler's name of this platform. */
  readonly target: string;
  /** Format of the data directory that it reads and writes. */
  readonly dataFormat: number;
}

/**
 * The file of this process's program.
 *
 * @throws {CliError} `not_upgradable` if svc runs from source, or the file no longer exists.
 */
export async function installedProgram(): Promise<InstalledProgram> {
  if (!Deno.build.standalone) {
    throw new CliError("not_upgradable", "Cannot upgrade svc running from source", {
      hint: "Update the checkout with git pull",
    });
  }
  try {
    return {
      path: await Deno.realPath(Deno.execPath()),
      version: VERSION,
      target: Deno.build.target,
      dataFormat: DATA_FORMAT,
    };
  } catch (cause) {
    const reason = describeFileFault(cause);
    throw new CliError("not_upgradable", `Cannot find the svc program file: ${reason}`, {
      hint: "It was moved or replaced while this command ran. Run the command again",
      cause,
    });
  }
}
