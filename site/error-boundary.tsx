/**
 * What does a reader see if a view throws while it is drawn?
 *
 * The frame stays, so that every other view can be opened. In place of the view are a sentence, the error in the words of the program, a link to start over and one
 * to report the mistake. The browser reports the error in its console too, as it does with any that nobody catches.
 */
import { Component, type ComponentChildren } from "preact"
import type { Address } from "./address.ts"
import { pairsDataset } from "./answers.ts"
import { Title } from "./controls/controls.tsx"
import { type Page, usePage } from "./page-context.ts"

/** Where a reader writes about a mistake: a form that is filled in by the fields of a query. The reader sends it; the page sends nothing. */
export const REPORTS = "https://github.com/landfall-visa/landfall/issues/new"

interface ErrorBoundaryProps {
  /** The view is drawn again when this changes. */
  readonly page: Page
  readonly startOver: Address
  readonly children: ComponentChildren
}

interface Failure {
  readonly error: unknown
}

export class ErrorBoundary extends Component<ErrorBoundaryProps, { readonly failure: Failure | null }> {
  static override getDerivedStateFromError(error: unknown) {
    return { failure: { error } }
  }

  override componentDidCatch(error: unknown): void {
    reportError(error)
  }

  override componentDidUpdate({ page }: ErrorBoundaryProps): void {
    if (page !== this.props.page && this.state.failure != null) this.setState({ failure: null })
  }

  override render(): ComponentChildren {
    const { startOver, children } = this.props
    const failure = this.state.failure ?? null
    return failure === null ? children : <BrokenView error={failure.error} startOver={startOver} />
  }
}

function BrokenView({ error, startOver }: Failure & Pick<ErrorBoundaryProps, "startOver">) {
  const { words, address, linkTo } = usePage()
  const text = String(error)
  const fields = {
    template: "bug.yml",
    did: `Opened the view "${address.view}" in ${words.language}.`,
    saw: text,
    version: pairsDataset().version,
    runtime: navigator.userAgent,
  }
  return (
    <div role="alert">
      <Title text={words.say("view.broken")} />
      <p class="note" lang="en" dir="ltr">
        {text}
      </p>
      <p>
        <a href={linkTo(startOver)}>{words.say("trip.clear")}</a> ·{" "}
        <a href={`${REPORTS}?${new URLSearchParams(fields)}`} rel="noopener noreferrer external">
          {words.say("pair.report")}
        </a>
      </p>
    </div>
  )
}
