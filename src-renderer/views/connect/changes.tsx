/** All that Ownkey changed on this computer outside its own folder, each with a way back. */
import { useState } from "react";
import type { CaView, SetupStatus } from "../../../src-main/contract/cursor.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Confirm } from "../../parts/confirm.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { Sentence } from "../../parts/sentence.tsx";
import parts from "../../styles/parts.module.css";
import { useAttempt } from "../use-attempt.ts";
import { type Asked, useCall } from "../use-call.ts";
import { Card } from "./card.tsx";
import styles from "./connect.module.css";

interface ChangesProps {
  readonly setup: Asked<SetupStatus>;
  readonly ca: Asked<CaView>;
}

export function ChangesOnThisComputer({ setup, ca }: ChangesProps) {
  const words = useWords();
  const { client } = useFrame().stores;
  const { isAtWork, error, run } = useAttempt();
  const [isAsking, setIsAsking] = useState(false);
  const desktop = useCall("desktop.get", null);
  const isAtLogin = desktop.state.type === "loaded" && desktop.state.value?.autostart === true;
  const applied = setup.state.type === "loaded" && setup.state.value.isApplied ? setup.state.value : null;
  const file = applied?.file ?? null;
  const entry = applied?.loginEntry ?? null;
  const view = ca.state.type === "loaded" ? ca.state.value : null;
  const stores = view?.stores.filter(({ trusted }) => trusted === true) ?? [];
  const undoSettings = () => client.call("setup.undo", null).then(setup.load);
  const removeCertificate = () => client.call("ca.remove", { forget: false }).then(ca.set);
  const noAutostart = () => client.call("desktop.set", { autostart: false }).then(desktop.set);
  const changes = [
    ...(file === null ? [] : [{ name: file, what: words.text("changes.settings"), undo: undoSettings }]),
    ...(entry === null ? [] : [{ name: entry, what: words.text("changes.entry"), undo: undoSettings }]),
    ...(isAtLogin ? [{ name: "Ownkey", what: words.text("settings.autostart"), undo: noAutostart }] : []),
    ...stores.map(({ name }) => ({
      name: words.text(`connect.in.${name}`),
      what: words.text("changes.store"),
      undo: removeCertificate,
    })),
  ];
  const undoAll = async () => {
    if (file !== null) await undoSettings();
    if (isAtLogin) await noAutostart();
    if (stores.length > 0) await removeCertificate();
  };
  return (
    <Card
      title={words.text("changes.title")}
      about={words.text("changes.about")}
      tone="off"
      state={words.plural("changes.count", changes.length)}
    >
      {changes.length > 0 && (
        <ul className={styles.findings} data-plain>
          {changes.map(({ name, what, undo }) => (
            <li key={name}>
              <span>
                {what}
                <small>
                  <Foreign text={name} />
                </small>
              </span>
              <button
                type="button"
                className={parts.button}
                aria-label={words.text("changes.undoName", { name })}
                disabled={isAtWork}
                onClick={() => run(undo)}
              >
                {words.text("changes.undo")}
              </button>
            </li>
          ))}
        </ul>
      )}
      {error !== null && <Sentence text={error} />}
      {changes.length > 1 && (
        <div className={styles.buttons}>
          <button
            type="button"
            className={parts.danger}
            disabled={isAtWork}
            onClick={() => setIsAsking(true)}
          >
            {words.text("changes.undoAll")}
          </button>
        </div>
      )}
      {isAsking && (
        <Confirm
          title={words.text("changes.undoAll")}
          action={words.text("changes.undoAll")}
          isDangerous
          onConfirm={() => run(undoAll)}
          onClose={() => setIsAsking(false)}
        >
          <p>{words.text("changes.undoAllMeans")}</p>
        </Confirm>
      )}
    </Card>
  );
}
