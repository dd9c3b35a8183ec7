export const dumpDatabase = 0;
