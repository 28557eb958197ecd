/** The guard's own process: node guard-process.ts DATA-DIR. See guard.ts. */
import { guard } from "./guard.ts";

process.umask(0o077);
await guard(process.argv[2] ?? "", process.stdin);
