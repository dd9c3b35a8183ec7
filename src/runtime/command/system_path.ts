/**
 * @module Where the system's programs are: for what starts a command, and in its sandbox.
 */
export const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
