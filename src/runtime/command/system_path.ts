/**
 * @module The search path for the system's programs. It is used to start a command, and inside the
 * command's sandbox.
 */
export const SYSTEM_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
