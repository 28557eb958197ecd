/** The channels in the user's order, which is the order in which Cursor is offered their models. */
import { useCallback, useRef, useState } from "react";
import type { ChannelView } from "../../../src-main/contract/channels.ts";
import { useFrame } from "../../frame/frame.ts";
import { useWords } from "../../i18n/language.tsx";
import { Foreign } from "../../parts/foreign.tsx";
import { SearchField } from "../../parts/search-field.tsx";
import parts from "../../styles/parts.module.css";
import { ChannelRow } from "./channel-row.tsx";
import styles from "./channels.module.css";
import { findIn, groupsOf, placed, stepped } from "./order.ts";

interface ChannelListProps {
  readonly list: readonly ChannelView[];
  readonly opened: string | null;
  readonly onOpen: (id: string) => void;
  readonly onRemove: (channel: ChannelView) => void;
}

export function ChannelList({ list, opened, onOpen, onRemove }: ChannelListProps) {
  const words = useWords();
  const { channels, client } = useFrame().stores;
  const [wanted, setWanted] = useState("");
  const [said, setSaid] = useState("");
  const dragged = useRef<string | null>(null);
  const found = findIn(list, wanted);
  const isFiltered = found.length < list.length;
  const step = (channel: ChannelView, by: -1 | 1) => {
    const ids = stepped(list, channel.id, by);
    void channels.reorder(ids);
    const place = words.number(ids.indexOf(channel.id) + 1);
    setSaid(words.text("channels.moved", { name: channel.name, place, all: words.number(list.length) }));
  };
  const drop = (target: string) => {
    if (dragged.current !== null) void channels.reorder(placed(list, dragged.current, target));
    dragged.current = null;
  };
  const duplicate = useCallback(
    (id: string) => void client.call("channels.duplicate", { id }).then((copy) => onOpen(copy.id)),
    [client, onOpen],
  );
  return (
    <div className={styles.column}>
      <SearchField label={words.text("channels.search")} value={wanted} onChange={setWanted} />
      {groupsOf(found).map(({ host, channels: members }) => (
        <section key={host ?? ""} aria-label={host ?? words.text("nav.channels")}>
          {host !== null && (
            <h2 className={styles.group}>
              <Foreign text={host} />
              <span>{words.number(members.length)}</span>
            </h2>
          )}
          <ul className={styles.list}>
            {members.map((channel) => (
              <ChannelRow
                key={channel.id}
                channel={channel}
                isOpened={channel.id === opened}
                isMovable={!isFiltered && list.length > 1}
                onStep={(by) => step(channel, by)}
                onDrag={() => {
                  dragged.current = channel.id;
                }}
                onDrop={() => drop(channel.id)}
                onDuplicate={() => duplicate(channel.id)}
                onRemove={() => onRemove(channel)}
              />
            ))}
          </ul>
        </section>
      ))}
      {found.length === 0 && <p className={parts.hint}>{words.text("channels.noHit")}</p>}
      <p className={parts.hint}>{words.text("channels.order")}</p>
      <p role="status" className={parts.unseen}>
        {said}
      </p>
    </div>
  );
}
