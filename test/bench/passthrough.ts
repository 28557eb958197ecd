/** The floor: node:http between client and provider, and nothing done to the bytes. Takes the provider's port, prints its own. */
import { Agent, createServer, request } from "node:http";
import { pipeline } from "node:stream";
import { listen } from "./child.ts";

const host = "127.0.0.1";
const port = Number(process.argv[2]);
const agent = new Agent({ keepAlive: true });

listen(
  createServer((from, to) => {
    const headers = { ...from.headers, host: `${host}:${port}` };
    const onward = request({ host, port, agent, path: from.url, method: from.method, headers }, (answer) => {
      to.writeHead(answer.statusCode ?? 502, answer.headers);
      pipeline(answer, to, () => {});
    });
    pipeline(from, onward, (reason) => reason && to.destroy(reason));
  }),
);
