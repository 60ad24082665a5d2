/** Light, dark, or the system's choice: one button that cycles through the three. */
import { useEffect, useState } from "preact/hooks"
import { Icon } from "./controls/icon.tsx"
import { keepChoice, keptChoice } from "./kept-choices.ts"
import { usePage } from "./page-context.ts"

const THEMES = ["system", "light", "dark"] as const
type Theme = (typeof THEMES)[number]

export function ThemeChoice() {
  const { words } = usePage()
  const [theme, setTheme] = useState<Theme>(() => THEMES.find(known => known === keptChoice("theme")) ?? "system")
  useEffect(() => {
    if (theme === "system") delete document.documentElement.dataset.theme
    else document.documentElement.dataset.theme = theme
  }, [theme])
  const next = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length] as Theme
  const label = words.locale.label(words.say("theme.label"), words.say(`theme.${theme}`))
  return (
    <button
      type="button"
      class="theme"
      title={label}
      aria-label={label}
      onClick={() => {
        keepChoice("theme", next)
        setTheme(next)
      }}
    >
      <Icon name={theme} />
    </button>
  )
}
