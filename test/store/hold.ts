/** A process of its own that opens the store at argv[2], commits without end, and prints each version it has made. */
import { openStore } from "../../src-main/store/store.ts";
import { callsFor, createTalk, replies, starts } from "./talk.ts";

const store = openStore(process.argv[2] ?? "");
const talk = createTalk(store);
for (let turn = talk.state.turn + 1; ; turn++) {
  talk.hears(starts(`r${turn}`));
  for (let call = 0; call < 50; call++) {
    talk.hears(callsFor("Look", "Look"));
    talk.hears(replies(1));
    talk.hears(replies(0));
    process.stdout.write(`${talk.version}\n`);
    await new Promise(setImmediate);
  }
}
