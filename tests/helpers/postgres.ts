/**
 * Checks whether a test's program finds a PostgreSQL on the machine.
 *
 * @module
 */
import { NO_POSTGRES } from "../../src/database/server/_test_server.ts";
import { isEmpty } from "./empty_root.ts";

/** Why the program finds no PostgreSQL; `undefined` if it finds one. */
export const noServer = (): string | undefined =>
  isEmpty() ? "the root of this run has no PostgreSQL" : NO_POSTGRES;
