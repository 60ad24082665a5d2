/** The issue form for wrong data as GitHub writes it. */
import { FORM_FIELDS } from "../../adapters/data-files/read-form.ts"

export const FORM: Readonly<Record<string, string>> = {
  passport: "BRA",
  destination: "KEN",
  answered: '```json\n{"requirement": "eta"}\n```',
  requirement: "visa_free (no visa, nothing to apply for)",
  days: "60",
  source: "https://immigration.go.ke/brazil",
  publisher: "the destination's government or one of its missions",
  words: "Citizens of Brazil\nneed no visa.",
  readOn: "2026-11-28",
  from: "2026-11-01",
  until: "_No response_",
  conditions: "_No response_",
}

/** Writes a form; `changes` replaces the text of some fields. */
export const writeForm = (changes: Readonly<Record<string, string>> = {}): string =>
  Object.entries({ ...FORM, ...changes })
    .map(([field, value]) => `### ${FORM_FIELDS[field as keyof typeof FORM_FIELDS]}\n\n${value}\n`)
    .join("\n")
