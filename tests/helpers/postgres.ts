/**
 * Checks whether a test's program finds PostgreSQL on the machine.
 *
 * @module
 */
import { NO_POSTGRES } from "../../src/database/server/_test_server.ts";
import { isEmpty } from "./empty_root.ts";

/** Returns the reason why the program does not find PostgreSQL; `undefined` if it does find it. */
export const noServer = (): string | undefined =>
  isEmpty() ? "this run's root file system has no PostgreSQL" : NO_POSTGRES;
