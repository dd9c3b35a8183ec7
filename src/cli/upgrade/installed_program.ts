import { DATA_FORMAT } from "../../lib/data_format.ts";
import { describeFileFault } from "../../lib/file_fault.ts";
import { CliError } from "../errors/cli_error.ts";
import { VERSION } from "../version.ts";

export interface InstalledProgram {
  /** The real path, without symbolic links. */
  readonly path: string;
  readonly version: string;
  /** The compiler's name for this platform. */
  readonly target: string;
  /** Format of the data directory that the program reads and writes. */
  readonly dataFormat: number;
}

/**
 * Finds the program file of this process.
 *
 * @throws {CliError} `not_upgradable` if svc runs from source, or if the file no longer exists.
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
