/** Computed figures, line by line; screen readers announce changes. */
export function Figures({ rows }: { readonly rows: readonly (readonly string[])[] }) {
  return (
    <dl class="facts report" aria-live="polite">
      {rows.map(([label, text]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  )
}
