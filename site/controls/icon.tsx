/** The few icons of the page, drawn, so that no font is needed for them. */
const PATHS = {
  plus: "M8 3v10M3 8h10",
  minus: "M3 8h10",
  whole: "M6 2H2v4M10 2h4v4M6 14H2v-4M10 14h4v-4",
  close: "M4 4l8 8M12 4l-8 8",
  check: "M3 8.5l3.5 3.5L13 4.5",
  document: "M4 1.5h5.5L12.5 4.5v10h-8.5zM6 7h4.5M6 10h4.5",
  question: "M5.5 5.5a2.5 2.5 0 1 1 3.5 2.3c-.7.3-1 .8-1 1.7M8 12.4v.6",
  ahead: "M2 8h12M9 3l5 5-5 5",
  up: "M8 13V3M3.5 7.5L8 3l4.5 4.5",
  down: "M8 3v10M3.5 8.5L8 13l4.5-4.5",
  system: "M8 2a6 6 0 1 0 0 12zM8 2a6 6 0 0 1 0 12",
  light: "M8 5a3 3 0 1 0 0 6 3 3 0 0 0 0-6M8 1v1.5M8 13.5V15M1 8h1.5M13.5 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  dark: "M13.5 9.5A6 6 0 0 1 6.5 2.5a6 6 0 1 0 7 7z",
} as const

export type IconName = keyof typeof PATHS

export function Icon({ name }: { readonly name: IconName }) {
  return (
    <svg class={`icon icon-${name}`} width="16" height="16" viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={PATHS[name]}
        fill={name === "system" ? "currentColor" : "none"}
        fill-opacity={name === "system" ? 0.5 : 1}
      />
    </svg>
  )
}
