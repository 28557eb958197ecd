/** Something that scrolls by itself: named, and reached by Tab, or those without a mouse would not see its end. */
import type { ReactNode, Ref } from "react";

interface ScrollableProps {
  readonly label: string;
  readonly className: string | undefined;
  readonly ref?: Ref<HTMLElement>;
  readonly children: ReactNode;
}

export function Scrollable({ label, className, ref, children }: ScrollableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached
    <section ref={ref} aria-label={label} className={className} tabIndex={0}>
      {children}
    </section>
  );
}
