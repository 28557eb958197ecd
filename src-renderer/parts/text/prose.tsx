/** Finished markdown. Links ask before they are followed. */
import { type MouseEvent, memo, useLayoutEffect, useMemo, useRef, useState } from "react";
import parts from "../../styles/parts.module.css";
import { Code } from "./code.tsx";
import { addressOf, LinkDialog } from "./link-dialog.tsx";
import { blocksOf, fragmentOf } from "./markdown.ts";
import styles from "./text.module.css";

export const Prose = memo(function Prose({ text }: { readonly text: string }) {
  const blocks = useMemo(() => blocksOf(text), [text]);
  return (
    <div className={styles.prose}>
      {blocks.map((block, at) =>
        // A text that is finished does not change: the place of a block is its name.
        block.type === "code" ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Code key={at} text={block.text} language={block.language} />
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: see above
          <Fragment key={at} html={block.html} />
        ),
      )}
    </div>
  );
});

function Fragment({ html }: { readonly html: string }) {
  const place = useRef<HTMLDivElement>(null);
  const [url, setUrl] = useState<URL | null>(null);
  useLayoutEffect(() => {
    place.current?.replaceChildren(fragmentOf(html, parts.inkless ?? ""));
  }, [html]);

  const follow = (event: MouseEvent) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null;
    if (!link) return;
    event.preventDefault();
    setUrl(addressOf(link.href));
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noStaticElementInteractions lint/a11y/useKeyWithClickEvents: the links in it are clicked, by keys too */}
      <div ref={place} onClick={follow} onAuxClick={follow} />
      {url && <LinkDialog url={url} onClose={() => setUrl(null)} />}
    </>
  );
}
