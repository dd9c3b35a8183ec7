/**
 * The svc program: hands its arguments to the command tree.
 *
 * @module
 */
import { main } from "./src/cli/entry.ts";

if (import.meta.main) await main();
