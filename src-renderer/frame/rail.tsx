/** The pages, at the side of the window; icons alone where it is narrow. */
import {
  Activity,
  ChartColumn,
  CircleQuestionMark,
  LayoutDashboard,
  type LucideIcon,
  MessagesSquare,
  PlugZap,
  Settings,
  Waypoints,
} from "lucide-react";
import icon from "../../assets/icon.svg";
import { useWords } from "../i18n/language.tsx";
import { hashOf, type PageName, pages } from "../stores/route.ts";
import styles from "./frame.module.css";
import { useRoute } from "./frame.ts";

const icons: { readonly [P in PageName]: LucideIcon } = {
  overview: LayoutDashboard,
  channels: Waypoints,
  conversations: MessagesSquare,
  inspector: Activity,
  usage: ChartColumn,
  connect: PlugZap,
  settings: Settings,
  help: CircleQuestionMark,
};

export function Rail() {
  const words = useWords();
  const route = useRoute();
  return (
    <nav className={styles.rail} aria-label={words.text("nav.label")}>
      <div className={styles.brand}>
        <img src={icon} alt="" width="24" height="24" />
        <span>Ownkey</span>
      </div>
      <ul>
        {pages.map((page) => {
          const Icon = icons[page];
          return (
            <li key={page} data-bottom={page === "settings"}>
              <a
                href={hashOf({ page, id: null })}
                aria-current={route.page === page ? "page" : undefined}
                title={words.text(`nav.${page}`)}
              >
                <Icon size={18} strokeWidth={1.75} aria-hidden="true" />
                <span>{words.text(`nav.${page}`)}</span>
              </a>
            </li>
          );
        })}
      </ul>
    </nav>
  );
}
