/**
 * Every text of the window, in English; the other languages have exactly these keys.
 *
 * A sentence is never built from parts: {placeholders} hold numbers, names and times only. Keys that end in .one and
 * .other are the plural forms of one text.
 */
export const en = {
  "overview.title": "Overview",
  "action.copy": "Copy",
  "action.copied": "Copied",
  "action.copyFailed": "Not copied: select the text and copy it by hand",
  "action.retry": "Try again",
  "action.retryNow": "Try now",
  "loading.slow": "Still loading…",

  "health.connecting": "Connecting…",
  "health.unreachable": "Not reachable since {time}",
  "health.unknown": "State unknown",
  "health.working": "Running",
  "health.no_port": "No port",
  "health.no_port.remedy":
    "Ownkey runs but listens nowhere, so Cursor cannot reach it. Start it again with a port that is free:",
  "health.no_channel": "Waiting for a first channel",
  "health.all_off": "All channels are off",
  "health.all_off.remedy": "Cursor is offered no model. Switch a channel on:",
  "health.no_usable_key": "No channel has a key",
  "health.no_usable_key.remedy":
    "Every channel that is on lacks its key, so no model can answer. What to do stands beside each of them below.",
  "health.no_local_key": "No local key",
  "health.no_local_key.remedy":
    "Cursor’s client signs in to Ownkey with a key of its own, and there is none yet. Make one:",
  "health.failed": "The state could not be read",
  "health.channels.one": "{n} channel",
  "health.channels.other": "{n} channels",
  "health.channelsOn.one": "{n} of {total} channels on",
  "health.channelsOn.other": "{n} of {total} channels on",
  "health.runs.one": "{n} run in progress",
  "health.runs.other": "{n} runs in progress",

  "link.lost.title": "The connection to Ownkey is lost",
  "link.lost.body":
    "Trying again by itself; what you see is as of {time}. If it stays like this, start Ownkey again.",

  "channels.title": "Channels",
  "channels.empty.title": "No channels yet",
  "channels.empty.body":
    "Add one to use your own model in Cursor. The key is read from the terminal, not from the command:",
  "channels.failed": "The channels could not be read",
  "channels.on": "On",
  "channels.off": "Off",
  "channels.key.none": "No key needed",
  "channels.key.set": "Key set",
  "channels.key.missing": "Key missing",
  "channels.key.missing.remedy": "This channel has no key, so its model cannot be asked. Enter it:",
  "channels.key.unreadable": "Key unreadable",
  "channels.key.unreadable.remedy":
    "The key was sealed on another computer, or for another address. Enter it again:",
  "channels.test": "Test",
  "channels.test.name": "Test {name}",
  "channels.test.cost": "A test sends one small request to your account.",
  "channels.test.never": "Not tested",
  "channels.test.running": "Testing…",
  "channels.test.ok": "Works",
  "channels.test.firstToken": "{time} · first token {duration}",
  "channels.test.failed": "Failed",
  "channels.test.notMade": "The test could not be made",

  "calls.title": "Last calls",
  "calls.empty.title": "No calls yet",
  "calls.empty.body":
    "Ask something in Cursor with a model from your channels. Each request to a model appears here.",
  "calls.failed": "The calls could not be read",
  "calls.time": "Time",
  "calls.channel": "Channel",
  "calls.model": "Model",
  "calls.status": "Status",
  "calls.firstToken": "First token",
  "calls.input": "Input",
  "calls.output": "Output",
  "calls.speed": "Tokens/s",
  "calls.cached": "{share} cached",
  "calls.unknown": "not known",
  "calls.planned": "Asking",
  "calls.streaming": "Streaming",
  "calls.committed": "Finished",
  "calls.failedStatus": "Failed",
  "calls.canceled": "Cancelled",
  "calls.tries.one": "{n} try",
  "calls.tries.other": "{n} tries",
  "action.copyError": "Copy the error",

  "closed.title": "Open this window with {command}",
  "closed.no_code":
    "This address alone does not open it: what Ownkey knows is shown to the person at this computer only.",
  "closed.code_refused": "The code in this address was used already, or it is older than 60 seconds.",
  "closed.ended": "This window was signed out, most likely because Ownkey has been started anew.",
  "closed.step": "Run this in a terminal. It prints an address that works once; open that.",
  "command.source": "In a source folder, write {command} in place of {program}.",
  "unreachable.title": "Ownkey does not answer",
  "unreachable.body":
    "It has ended, or it is just starting. If it does not run, start it in a terminal, then try again.",

  "footer.version": "Ownkey {version}",
  "footer.since": "Running since {time}",
  "footer.keyFile": "Keys are sealed with a key file: safe from other users only",
  "footer.dataDir": "Data folder {path}",
} as const;
