/** Texts of the record, whose web addresses become links. They lead away from the page, without a referrer. */

const WEB_ADDRESS = /(https?:\/\/[^\s<>"\u2068\u2069]+)/u

export function LinkedText({ text }: { readonly text: string }) {
  return (
    <>
      {text.split(WEB_ADDRESS).map((piece, at) =>
        at % 2 === 1 ? (
          <a key={piece} href={piece} rel="noopener noreferrer external" dir="ltr">
            {piece.replace(/^https?:\/\/(www\.)?/, "").replace(/\/$/, "")}
          </a>
        ) : (
          piece
        ),
      )}
    </>
  )
}

interface SourceProps {
  readonly name: string
  readonly url: string | null
  /** The day that it describes, written in the language. */
  readonly day: string | null
}

export function Source({ name, url, day }: SourceProps) {
  const isWeb = url !== null && /^https?:\/\//.test(url)
  return (
    <span class="source">
      {" "}
      {isWeb ? (
        <a href={url} rel="noopener noreferrer external">
          <bdi>{name}</bdi>
        </a>
      ) : (
        <bdi>{name}</bdi>
      )}
      {day !== null && <span class="when">{day}</span>}
    </span>
  )
}
